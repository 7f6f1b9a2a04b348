select
    vault_address,
    observed_at,
    actual_tvl,
    tvl_on_vault,
    adjusted_redeem_ratio
from core.ratio_history
where
    _updated_at >= $since
    and adjusted_redeem_ratio = 0
    and not coalesce(actual_tvl <= 0, false)
    -- Nothing is issued, or everything is redeemed: a ratio does not exist, and the service may send 0 for it.
    and not coalesce(tvl_on_vault <= 0, false)
