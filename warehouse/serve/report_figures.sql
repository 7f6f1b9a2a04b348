-- Figures of each vault over the period from $from_on up to $to_on (exclusive), and over the previous period from
-- $before_on: one row for each; `is_period` marks the row of the period itself.
with

days as (
    select
        *,
        day >= $from_on::date as is_period,
        max(collateral_ratio_high) over (
            partition by vault_address, day >= $from_on::date
            order by day
            rows between unbounded preceding and current row
        ) as running_high
    from mart.vault_daily
    where day >= $before_on::date and day < $to_on::date
),

hours as (
    select
        vault_address,
        hour_at >= $from_on::date as is_period,
        count(*) filter (is_below_par) as hours_below_par
    from mart.vault_hourly
    where hour_at >= $before_on::date and hour_at < $to_on::date
    group by all
),

-- From the close before the period to its last close.
pnl as (
    select
        vault_address,
        day >= $from_on::date as is_period,
        sum(pnl_usd_change) as pnl_change_usd
    from mart.pnl_daily
    where day >= $before_on::date and day < $to_on::date
    group by all
),

figures as (
    select
        vault_address,
        is_period,
        arg_max(collateral_ratio_close, day) as collateral_ratio,
        min(collateral_ratio_low) as collateral_ratio_low,
        max(1 - collateral_ratio_low / nullif(running_high, 0)) as drawdown,
        avg(apy_smoothed) as apy_smoothed,
        arg_max(nav_usd, day) as nav_usd,
        sum(hours_present) / nullif(sum(hours_expected), 0) as share_of_hours_present
    from days
    group by vault_address, is_period
)

select
    figures.*,
    pnl.pnl_change_usd,
    case when figures.collateral_ratio is not null then coalesce(hours.hours_below_par, 0) end as hours_below_par
from figures
left join hours using (vault_address, is_period)
left join pnl using (vault_address, is_period)
