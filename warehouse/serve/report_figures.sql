-- Figures of each vault over the period from $from_on up to $to_on (exclusive), and over the previous period from
-- $before_on: one row for each; `is_period` marks the row of the period itself. Each figure that is made of days has the
-- number of them beside it, and each level its day, so that a figure of a part of its period can be marked.
with

points as (
    select
        vault_address,
        collateral_ratio,
        observed_at >= $from_on::date as is_period,
        max(collateral_ratio) over (
            partition by vault_address, observed_at >= $from_on::date
            order by observed_at
        ) as highest_so_far
    from mart.ratio_points
    where
        observed_at >= $before_on::date
        and observed_at < $to_on::date
        and collateral_ratio is not null
),

-- As in mart.vault_performance: hour by hour, from the highest ratio before it, here of the period.
falls as (
    select
        vault_address,
        is_period,
        max(1 - collateral_ratio / nullif(highest_so_far, 0)) as drawdown
    from points
    group by all
),

days as (
    select *, day >= $from_on::date as is_period
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

-- From the close before the period to its last close. Without a close before, the first day has no change.
pnl as (
    select
        vault_address,
        day >= $from_on::date as is_period,
        sum(pnl_usd_change) as pnl_change_usd,
        sum(days_since_before) filter (pnl_usd_change is not null) as pnl_days
    from mart.pnl_daily
    where day >= $before_on::date and day < $to_on::date
    group by all
),

figures as (
    select
        vault_address,
        is_period,
        arg_max(collateral_ratio_close, day) as collateral_ratio,
        max(day) filter (collateral_ratio_close is not null) as collateral_ratio_on,
        min(collateral_ratio_low) as collateral_ratio_low,
        count(collateral_ratio_low) as ratio_days,
        avg(apy_smoothed) as apy_smoothed,
        count(apy_smoothed) as apy_days,
        arg_max(nav_usd, day) as nav_usd,
        max(day) filter (nav_usd is not null) as nav_on,
        sum(hours_present) / nullif(sum(hours_expected), 0) as share_of_hours_present
    from days
    group by vault_address, is_period
)

select
    figures.*,
    falls.drawdown,
    pnl.pnl_change_usd,
    pnl.pnl_days,
    case when figures.collateral_ratio is not null then coalesce(hours.hours_below_par, 0) end as hours_below_par
from figures
left join falls using (vault_address, is_period)
left join hours using (vault_address, is_period)
left join pnl using (vault_address, is_period)
