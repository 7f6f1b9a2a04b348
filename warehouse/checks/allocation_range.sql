select
    vault_address,
    chain_id,
    date,
    protocol,
    value,
    share
from core.allocation_history
where _updated_at >= $since and (value < 0 or share < 0)
