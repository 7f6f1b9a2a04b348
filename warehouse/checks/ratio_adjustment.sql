with

-- How the service adjusts the ratio is not documented, but from one hour to the next it adjusts it alike.
adjusted as (
    select
        vault_address,
        observed_at,
        actual_tvl,
        tvl_on_vault,
        adjusted_redeem_ratio,
        adjusted_redeem_ratio * tvl_on_vault / actual_tvl as adjustment
    from core.ratio_history
    where actual_tvl > 0 and tvl_on_vault > 0 and adjusted_redeem_ratio > 0
),

neighbours as (
    select
        *,
        lag(adjustment) over history as adjustment_before,
        lead(adjustment) over history as adjustment_after
    from adjusted
    window history as (partition by vault_address order by observed_at)
)

select
    vault_address,
    observed_at,
    adjusted_redeem_ratio,
    adjustment,
    adjustment_before,
    adjustment_after
from neighbours
where
    abs(adjustment - adjustment_before) > $tolerance
    and abs(adjustment - coalesce(adjustment_after, adjustment_before)) > $tolerance
