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

-- What the service gives by address alone is that of every vault with the address.
address_days as (
    select
        vaults.chain_id,
        days.vault_address,
        days.day,
        days.collateral_ratio_close,
        days.collateral_ratio_low,
        days.apy_smoothed,
        days.hours_present,
        days.hours_expected
    from mart.vault_daily as days
    inner join mart.vault_lifecycle as vaults using (vault_address)
    where days.day >= $before_on::date and days.day < $to_on::date
),

-- A net asset value is of the vault on its chain alone.
snapshot_days as (
    select chain_id, vault_address, day, nav_usd
    from mart.position_days
    where nav_usd is not null and day >= $before_on::date and day < $to_on::date
),

days as (
    select *, day >= $from_on::date as is_period
    from address_days
    full join snapshot_days using (chain_id, vault_address, day)
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

periods as (
    select true as is_period, $from_on::date as first_on, $to_on::date as end_on
    union all
    select false as is_period, $before_on::date as first_on, $from_on::date as end_on
),

-- As in mart.vault_period: from the close of the day before the period, else from the first close in it.
pnl as (
    select
        closes.vault_address,
        periods.is_period,
        arg_max(closes.pnl_usd_close, closes.day) - arg_min(closes.pnl_usd_close, closes.day) as pnl_change_usd,
        max(closes.day) - min(closes.day) as pnl_days
    from mart.pnl_days as closes
    inner join periods on closes.day >= periods.first_on - 1 and closes.day < periods.end_on
    where closes.pnl_usd_close is not null
    group by closes.vault_address, periods.is_period
    having count(*) > 1
),

figures as (
    select
        chain_id,
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
    group by chain_id, vault_address, is_period
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
