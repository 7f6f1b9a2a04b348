-- Figures of each vault over the period from $from_on up to $to_on (exclusive), and over the previous period from
-- $before_on: one row for each with data; `is_period` marks the row of the period itself. Each figure that is made of days has the
-- number of them beside it, and each level its day, so that a figure of a part of its period can be marked.
with

periods as (
    select *, true as is_period
    from mart.vault_period($from_on::date, $to_on::date - 1)
    union all by name
    select *, false as is_period
    from mart.vault_period($before_on::date, $from_on::date - 1)
)

select
    chain_id,
    vault_address,
    is_period,
    collateral_ratio,
    collateral_ratio_on,
    collateral_ratio_low,
    ratio_days,
    apy_smoothed,
    apy_smoothed_days as apy_days,
    nav_usd,
    nav_on,
    hours_present / nullif(hours_expected, 0) as share_of_hours_present,
    hours_days,
    drawdown,
    pnl_usd_change as pnl_change_usd,
    pnl_days,
    hours_below_par
from periods
where days > 0
