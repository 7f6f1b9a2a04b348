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
        ratio_max_drawdown,
        hours_present,
        hours_below_par,
        share_of_hours_below_par,
        collateral_ratio_low,
        collateral_ratio_low_at
    from mart.vault_performance
    where $vault::varchar is null or $vault::varchar in (vault_address, vault_name)
)

select
    vault_name,
    vault_address,
    max_drawdown,
    max_drawdown_peak_on as peak_on,
    max_drawdown_trough_on as trough_on,
    max_drawdown_recovered_on as recovered_on,
    max_drawdown_recovered_on - max_drawdown_peak_on as days_under_water,
    ratio_max_drawdown as ratio_drawdown,
    hours_below_par,
    share_of_hours_below_par,
    collateral_ratio_low,
    collateral_ratio_low_at,
    apy_period_days
from performance
order by
    max_drawdown desc nulls last,
    ratio_drawdown desc nulls last,
    vault_name
