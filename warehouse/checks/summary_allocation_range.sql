select
    vault_address,
    position,
    value,
    share,
    valid_from
from core.vault_summary_allocations
where is_current and _updated_at >= $since and (value < 0 or share < 0)
