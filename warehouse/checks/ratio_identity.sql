select
    vault_address,
    observed_at,
    actual_tvl,
    tvl_on_vault,
    adjusted_redeem_ratio,
    actual_tvl / tvl_on_vault as expected_ratio
from core.ratio_history
where
    _updated_at >= $since
    and actual_tvl > 0
    and tvl_on_vault > 0
    and abs(adjusted_redeem_ratio - actual_tvl / tvl_on_vault)
    > $tolerance * actual_tvl / tvl_on_vault
