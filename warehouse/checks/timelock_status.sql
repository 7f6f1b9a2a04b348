select
    chain_id,
    vault_address,
    timelock_id,
    status,
    valid_from
from core.timelocks
where
    is_current
    and lower(status) not in ('scheduled', 'executed', 'cancelled')
    and _updated_at >= $since
