with

today as (select now_at::date as today from mart.clock),

-- Without days of the future: no window ends with one, and no fall is measured from one.
ratio_days as (
    select
        vault_address,
        day,
        collateral_ratio_close as close,
        collateral_ratio_low as low,
        collateral_ratio_high as high,
        hours_with_ratio as hours,
        hours_below_par
    from mart.ratio_days as days
    inner join today on day <= today
    where collateral_ratio_close is not null
),

dated_days as (
    select
        *,
        max(day) over vault as last_day,
        -- Null where there is no ratio to take a logarithm of, the day before has none, or it is missing. Of two logarithms:
        -- a quotient of extreme ratios may be infinite, and then no vault has a deviation.
        case
            when close > 0 and lag(close) over vault > 0 and lag(day) over vault = day - 1
                then ln(close) - ln(lag(close) over vault)
        end as log_change
    from ratio_days
    window vault as (
        partition by vault_address
        order by day
        rows between unbounded preceding and unbounded following
    )
),

ratio as (
    select
        vault_address,
        min(day) as from_on,
        max(day) as to_on,
        count(*) as days,
        arg_min(close, day) as first_close,
        arg_max(close, day) as close,
        max(close) filter (day = last_day - 1) as close_1d,
        max(close) filter (day = last_day - 7) as close_7d,
        max(close) filter (day = last_day - 30) as close_30d,
        max(close) filter (day = last_day - 90) as close_90d,
        count(log_change) filter (day > last_day - 30) as changes_30d,
        count(log_change) filter (day > last_day - 90) as changes_90d,
        stddev_samp(log_change order by log_change) filter (day > last_day - 30) as deviation_30d,
        stddev_samp(log_change order by log_change) filter (day > last_day - 90) as deviation_90d,
        sum(bit_count(hours)) as hours_present,
        sum(bit_count(hours_below_par)) as hours_below_par,
        min(low) as low
    from dated_days
    group by vault_address
),

day_highs as (
    select
        *,
        max(high) over (
            partition by vault_address
            order by day
            rows between unbounded preceding and 1 preceding
        ) as high_before
    from ratio_days
),

-- Days on which the deepest fall can end: measured from the highest ratio up to and including the day, their lowest ratio
-- is at least as deep as that of any day measured from the days before. Only the hours of these days are sorted.
fall_days as (
    select *
    from day_highs
    where greatest(high_before, high) > 0
    qualify
        1 - low / greatest(high_before, high)
        >= coalesce(
            max(case when high_before > 0 then 1 - low / high_before end) over (
                partition by vault_address
            ),
            0
        )
),

fall_points as (
    select
        points.vault_address,
        points.observed_at,
        points.collateral_ratio,
        greatest(
            fall_days.high_before,
            max(points.collateral_ratio) over (
                partition by points.vault_address, fall_days.day
                order by points.observed_at
            )
        ) as high
    from mart.ratio_points as points
    inner join fall_days
        on
            points.vault_address = fall_days.vault_address
            and points.observed_at::date = fall_days.day
    where points.collateral_ratio is not null
),

deepest_falls as (
    select
        vault_address,
        observed_at as trough_at,
        high,
        1 - collateral_ratio / high as drawdown
    from fall_points
    where high > 0
    -- The first of equal falls.
    qualify row_number() over (
        partition by vault_address
        order by 1 - collateral_ratio / high desc, observed_at
    ) = 1
),

-- When the ratio was lowest, and at the high before the deepest fall and after it.
moments as (
    select
        points.vault_address,
        min(points.observed_at) filter (points.collateral_ratio = ratio.low) as low_at,
        max(points.observed_at) filter (
            points.collateral_ratio = deepest_falls.high
            and points.observed_at < deepest_falls.trough_at
        ) as peak_at,
        min(points.observed_at) filter (
            points.collateral_ratio >= deepest_falls.high
            and points.observed_at > deepest_falls.trough_at
        ) as recovered_at
    from mart.ratio_points as points
    inner join ratio using (vault_address)
    left join deepest_falls using (vault_address)
    where
        points.observed_at < ratio.to_on + 1
        and (points.collateral_ratio = ratio.low or points.collateral_ratio >= deepest_falls.high)
    group by points.vault_address
),

apy_days as (
    select
        *,
        ln(1 + apy_unsmoothed) / 365 as log_growth,
        max(day) over (partition by vault_address) as last_day
    from mart.apy_daily
    where apy_unsmoothed > -1
),

apy as (
    select
        vault_address,
        max(apy_unsmoothed_period_days) as period_days,
        max(day) as to_on,
        count(*) as days,
        max(day) - min(day) + 1 as span_days,
        count(*) filter (day > last_day - 7) as days_7d,
        count(*) filter (day > last_day - 30) as days_30d,
        count(*) filter (day > last_day - 90) as days_90d,
        sum(log_growth order by log_growth) as log_growth,
        sum(log_growth order by log_growth) filter (day = last_day) as log_growth_1d,
        sum(log_growth order by log_growth) filter (day > last_day - 7) as log_growth_7d,
        sum(log_growth order by log_growth) filter (day > last_day - 30) as log_growth_30d,
        sum(log_growth order by log_growth) filter (day > last_day - 90) as log_growth_90d
    from apy_days
    group by vault_address
)

select
    vaults.chain_id,
    vaults.vault_address,
    vaults.vault_name,
    vaults.status,
    vaults.is_ended,
    ratio.from_on,
    ratio.to_on,
    ratio.days,
    ratio.to_on - ratio.from_on + 1 - ratio.days as days_missing,
    ratio.close / nullif(ratio.close_1d, 0) - 1 as return_1d,
    ratio.close / nullif(ratio.close_7d, 0) - 1 as return_7d,
    ratio.close / nullif(ratio.close_30d, 0) - 1 as return_30d,
    ratio.close / nullif(ratio.close_90d, 0) - 1 as return_90d,
    ratio.close / nullif(ratio.first_close, 0) - 1 as return_since_start,
    case when ratio.changes_30d = 30 then ratio.deviation_30d * sqrt(365) end as volatility_30d,
    case when ratio.changes_90d = 90 then ratio.deviation_90d * sqrt(365) end as volatility_90d,
    deepest_falls.drawdown as max_drawdown,
    case when deepest_falls.drawdown > 0 then moments.peak_at end as max_drawdown_peak_at,
    case when deepest_falls.drawdown > 0 then deepest_falls.trough_at end as max_drawdown_trough_at,
    case when deepest_falls.drawdown > 0 then moments.recovered_at end
        as max_drawdown_recovered_at,
    case
        when ratio.days is null then 'no hourly ratio'
        when ratio.changes_90d < 90 and ratio.to_on - ratio.from_on < 90
            then 'hourly ratio of ' || (ratio.to_on - ratio.from_on + 1) || ' days only'
        when ratio.changes_90d < 90
            then (90 - ratio.changes_90d) || ' of 90 daily changes of the ratio are missing'
    end as missing_reason,
    ratio.hours_present,
    ratio.hours_below_par,
    ratio.hours_below_par / ratio.hours_present as share_of_hours_below_par,
    ratio.low as collateral_ratio_low,
    moments.low_at as collateral_ratio_low_at,
    apy.period_days as apy_period_days,
    apy.to_on as apy_to_on,
    apy.span_days - apy.days as apy_days_missing,
    exp(apy.log_growth_1d) - 1 as apy_return_1d,
    case when apy.days_7d = 7 then exp(apy.log_growth_7d) - 1 end as apy_return_7d,
    case when apy.days_30d = 30 then exp(apy.log_growth_30d) - 1 end as apy_return_30d,
    case when apy.days_90d = 90 then exp(apy.log_growth_90d) - 1 end as apy_return_90d,
    case when apy.days = apy.span_days then exp(apy.log_growth) - 1 end as apy_return_since_start
from mart.vault_lifecycle as vaults
left join ratio using (vault_address)
left join deepest_falls using (vault_address)
left join moments using (vault_address)
left join apy using (vault_address)
