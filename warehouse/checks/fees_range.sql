select
    chain_id,
    vault_address,
    management_fee_pct,
    performance_fee_pct,
    valid_from
from core.fees
where
    is_current
    and _updated_at >= $since
    and (
        management_fee_pct not between 0 and $tolerance
        or performance_fee_pct not between 0 and $tolerance
    )
