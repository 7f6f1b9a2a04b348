select
    vault_address,
    observed_at,
    actual_tvl,
    tvl_on_vault,
    adjusted_redeem_ratio
from core.ratio_history
where
    _updated_at >= $since
    and (
        adjusted_redeem_ratio < 0
        or (adjusted_redeem_ratio = 0 and not coalesce(actual_tvl <= 0, false))
        or adjusted_redeem_ratio > $tolerance
        or actual_tvl < 0
        or tvl_on_vault < 0
    )
