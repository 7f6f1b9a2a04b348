-- Written by `make docs` from warehouse/checks/ratio_adjustment.sql: How much the collateral ratio differs from backing over supply changes by no more than this at a single point, against the points before and after it.
{{ config(severity='warn', meta={'check': 'ratio_adjustment'}) }}

with
adjusted as (
    select
        vault_address,
        observed_at,
        actual_tvl,
        tvl_on_vault,
        adjusted_redeem_ratio,
        adjusted_redeem_ratio * tvl_on_vault / actual_tvl as adjustment
    from {{ source('core', 'ratio_history') }}
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
    abs(adjustment - adjustment_before) > 0.002::double
    and abs(adjustment - coalesce(adjustment_after, adjustment_before)) > 0.002::double
