select
    chain_id,
    vault_address,
    status,
    valid_from
from core.vaults
where is_current and status not in ('active', 'closed') and _updated_at >= $since
