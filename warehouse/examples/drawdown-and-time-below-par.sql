-- How deep did each vault fall, and how long was it worth less than it reported?
-- Asked by an allocator, and by the risk officer who set the limits.
--
--     $vault = null  address or name of a vault; null is every vault
--
-- Fractions: a max_drawdown of 0.03 is a fall of 3% from the high before it, in the index compounded from the
-- daily unsmoothed APY. That APY is itself a mean of apy_period_days: a max_drawdown of 0 only says that no
-- such mean was below zero. ratio_drawdown is the deepest fall of the hourly collateral ratio from the high
-- before it, which no averaging hides. Below par is a collateral ratio below 1, by the hour; hours without a
-- point are in neither count. A recovered_on of null is a fall that has not been made good.
with

performance as (
    select
        vault_name,
        vault_address,
        apy_period_days,
        max_drawdown,
        max_drawdown_peak_on,
        max_drawdown_trough_on,
        max_drawdown_recovered_on,
        hours_present,
        hours_below_par,
        share_of_hours_below_par,
        collateral_ratio_low,
        collateral_ratio_low_at
    from mart.vault_performance
    where $vault::varchar is null or $vault::varchar in (vault_address, vault_name)
),

hours as (
    select
        vault_address,
        hour_at,
        collateral_ratio
    from mart.vault_hourly
    where collateral_ratio is not null
),

below_high as (
    select
        vault_address,
        1 - collateral_ratio / nullif(
            max(collateral_ratio) over (
                partition by vault_address
                order by hour_at
                rows between unbounded preceding and current row
            ),
            0
        ) as fall
    from hours
),

ratio_falls as (
    select
        vault_address,
        max(fall) as ratio_drawdown
    from below_high
    group by vault_address
)

select
    performance.vault_name,
    performance.vault_address,
    performance.max_drawdown,
    performance.max_drawdown_peak_on as peak_on,
    performance.max_drawdown_trough_on as trough_on,
    performance.max_drawdown_recovered_on as recovered_on,
    performance.max_drawdown_recovered_on - performance.max_drawdown_peak_on as days_under_water,
    ratio_falls.ratio_drawdown,
    performance.hours_below_par,
    performance.share_of_hours_below_par,
    performance.collateral_ratio_low,
    performance.collateral_ratio_low_at,
    performance.apy_period_days
from performance
left join ratio_falls
    on performance.vault_address = ratio_falls.vault_address
order by
    performance.max_drawdown desc nulls last,
    ratio_falls.ratio_drawdown desc nulls last,
    performance.vault_name
