select
    chain_id,
    vault_address,
    timelock_id,
    status,
    scheduled_at,
    executable_at,
    valid_from
from core.timelocks
where is_current and _updated_at >= $since and executable_at < scheduled_at
