with

points as (
    select
        vault_address,
        observed_at,
        actual_tvl,
        tvl_on_vault,
        adjusted_redeem_ratio
    from core.ratio_history
)

select
    vault_address::varchar as vault_address,
    observed_at::timestamp as observed_at,
    actual_tvl::double as backing,
    tvl_on_vault::double as supply,
    -- A vault wound up goes on with 0 backing, 0 supply and a ratio of 0: that is no loss, there is no ratio.
    case
        when actual_tvl is distinct from 0 or tvl_on_vault is distinct from 0
            then adjusted_redeem_ratio
    end::double as collateral_ratio
from points
