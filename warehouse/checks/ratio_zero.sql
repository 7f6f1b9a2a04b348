select
    vault_address,
    observed_at,
    actual_tvl,
    tvl_on_vault,
    adjusted_redeem_ratio
from core.ratio_history
where _updated_at >= $since and adjusted_redeem_ratio = 0 and not coalesce(actual_tvl <= 0, false)
