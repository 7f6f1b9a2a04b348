with

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from core.vaults
    where is_current
),

-- A day's part of the annualized yield, as a logarithm: sums of these are compounded returns. Decimals add up
-- to the same in any order, so that a rounding is not taken for a fall.
growth_days as (
    select
        vault_address,
        day,
        apy_unsmoothed_period_days,
        (ln(1 + apy_unsmoothed) / 365)::decimal(38, 18) as log_return
    from mart.apy_daily
    where apy_unsmoothed > -1
),

-- Read again and again, but only the rows of the vaults asked for.
ratio_points as not materialized (
    select
        vault_address,
        observed_at,
        collateral_ratio
    from mart.ratio_points
    where collateral_ratio is not null
),

dated as (
    select
        vault_address,
        day,
        log_return,
        max(apy_unsmoothed_period_days) over vault as apy_period_days,
        max(day) over vault as last_day,
        sum(log_return) over (
            partition by vault_address
            order by day
            rows between unbounded preceding and current row
        ) as log_index
    from growth_days
    window vault as (partition by vault_address)
),

windows as (
    select
        vault_address,
        max(apy_period_days) as apy_period_days,
        min(day) as first_day,
        max(day) as last_day,
        count(*) as days,
        max(last_day) - min(day) + 1 as span_days,
        sum(log_return) as log_return,
        count(*) filter (day > last_day - 7) as days_7d,
        sum(log_return) filter (day > last_day - 7) as log_return_7d,
        count(*) filter (day > last_day - 30) as days_30d,
        sum(log_return) filter (day > last_day - 30) as log_return_30d,
        stddev_samp(log_return) filter (day > last_day - 30) as deviation_30d,
        count(*) filter (day > last_day - 90) as days_90d,
        sum(log_return) filter (day > last_day - 90) as log_return_90d,
        stddev_samp(log_return) filter (day > last_day - 90) as deviation_90d,
        sum(log_return) filter (day = last_day) as log_return_1d
    from dated
    group by vault_address
),

-- The index with its start: 1 (a logarithm of 0) at the end of the day before the first.
index_days as (
    select
        vault_address,
        day,
        log_index
    from dated
    union all
    select
        vault_address,
        first_day - 1 as day,
        0::decimal(38, 18) as log_index
    from windows
),

below_peak as (
    select
        vault_address,
        day,
        log_index,
        max(log_index) over (
            partition by vault_address
            order by day
            rows between unbounded preceding and current row
        ) as log_peak
    from index_days
),

troughs as (
    select
        vault_address,
        max(log_peak - log_index) as log_drawdown,
        -- Of equal falls the first.
        first(day order by log_peak - log_index desc, day) as trough_on
    from below_peak
    group by vault_address
),

falls as (
    select
        troughs.vault_address,
        troughs.log_drawdown,
        troughs.trough_on,
        max(below_peak.day) filter (
            below_peak.day < troughs.trough_on and below_peak.log_index = at_trough.log_peak
        ) as peak_on,
        min(below_peak.day) filter (
            below_peak.day > troughs.trough_on and below_peak.log_index >= at_trough.log_peak
        ) as recovered_on
    from troughs
    inner join below_peak as at_trough
        on
            troughs.vault_address = at_trough.vault_address
            and troughs.trough_on = at_trough.day
    inner join below_peak
        on troughs.vault_address = below_peak.vault_address
    where troughs.log_drawdown > 0
    group by troughs.vault_address, troughs.log_drawdown, troughs.trough_on
),

-- One bit an hour: two points in an hour count once, at the price of an addition.
par_days as (
    select
        vault_address,
        bit_count(bit_or(1::integer << date_part('hour', observed_at)::integer)) as hours_present,
        bit_count(
            bit_or(
                case
                    when collateral_ratio < 1
                        then 1::integer << date_part('hour', observed_at)::integer
                    else 0::integer
                end
            )
        ) as hours_below_par,
        min(collateral_ratio) as collateral_ratio_low
    from ratio_points
    group by vault_address, observed_at::date
),

par as (
    select
        vault_address,
        sum(hours_present) as hours_present,
        sum(hours_below_par) as hours_below_par,
        min(collateral_ratio_low) as collateral_ratio_low
    from par_days
    group by vault_address
),

dated_par as (
    select
        par.vault_address,
        par.hours_present,
        par.hours_below_par,
        par.collateral_ratio_low,
        -- Of equal lows the first.
        min(ratio_points.observed_at) as collateral_ratio_low_at
    from par
    inner join ratio_points
        on
            par.vault_address = ratio_points.vault_address
            and par.collateral_ratio_low = ratio_points.collateral_ratio
    group by
        par.vault_address,
        par.hours_present,
        par.hours_below_par,
        par.collateral_ratio_low
),

ratio_highs as (
    select
        vault_address,
        observed_at,
        collateral_ratio,
        max(collateral_ratio) over (
            partition by vault_address
            order by observed_at
            rows between unbounded preceding and current row
        ) as high
    from ratio_points
),

ratio_declines as (
    select
        vault_address,
        observed_at,
        high,
        1 - collateral_ratio / high as decline
    from ratio_highs
    where high > 0
),

deepest_declines as (
    select
        vault_address,
        max(decline) as decline
    from ratio_declines
    group by vault_address
),

ratio_troughs as (
    select
        deepest_declines.vault_address,
        -- Of equal declines the first.
        min(ratio_declines.observed_at) as trough_at,
        arg_min(ratio_declines.high, ratio_declines.observed_at) as high
    from deepest_declines
    inner join ratio_declines
        on
            deepest_declines.vault_address = ratio_declines.vault_address
            and deepest_declines.decline = ratio_declines.decline
    where deepest_declines.decline > 0
    group by deepest_declines.vault_address
),

ratio_falls as (
    select
        ratio_troughs.vault_address,
        ratio_troughs.trough_at,
        max(ratio_points.observed_at) filter (
            ratio_points.observed_at < ratio_troughs.trough_at
            and ratio_points.collateral_ratio = ratio_troughs.high
        ) as peak_at,
        min(ratio_points.observed_at) filter (
            ratio_points.observed_at > ratio_troughs.trough_at
            and ratio_points.collateral_ratio >= ratio_troughs.high
        ) as recovered_at
    from ratio_troughs
    inner join ratio_points
        on ratio_troughs.vault_address = ratio_points.vault_address
    group by ratio_troughs.vault_address, ratio_troughs.trough_at
),

joined as (
    select
        vaults.chain_id,
        vaults.vault_address,
        vaults.vault_name,
        windows.apy_period_days,
        windows.first_day as from_on,
        windows.last_day as to_on,
        windows.days,
        windows.span_days - windows.days as days_missing,
        exp(windows.log_return_1d) - 1 as return_1d,
        case when windows.days_7d = 7 then exp(windows.log_return_7d) - 1 end as return_7d,
        case when windows.days_30d = 30 then exp(windows.log_return_30d) - 1 end as return_30d,
        case when windows.days_90d = 90 then exp(windows.log_return_90d) - 1 end as return_90d,
        case when windows.days = windows.span_days then exp(windows.log_return) - 1 end
            as return_since_start,
        case when windows.days_30d = 30 then windows.deviation_30d * sqrt(365) end
            as volatility_30d,
        case when windows.days_90d = 90 then windows.deviation_90d * sqrt(365) end
            as volatility_90d,
        case when windows.days > 0 then coalesce(1 - exp(-falls.log_drawdown), 0) end
            as max_drawdown,
        falls.peak_on as max_drawdown_peak_on,
        falls.trough_on as max_drawdown_trough_on,
        falls.recovered_on as max_drawdown_recovered_on,
        dated_par.hours_present,
        dated_par.hours_below_par,
        dated_par.hours_below_par / dated_par.hours_present as share_of_hours_below_par,
        dated_par.collateral_ratio_low,
        dated_par.collateral_ratio_low_at,
        deepest_declines.decline as ratio_max_drawdown,
        ratio_falls.peak_at as ratio_max_drawdown_peak_at,
        ratio_falls.trough_at as ratio_max_drawdown_trough_at,
        ratio_falls.recovered_at as ratio_max_drawdown_recovered_at
    from vaults
    left join windows
        on vaults.vault_address = windows.vault_address
    left join falls
        on vaults.vault_address = falls.vault_address
    left join dated_par
        on vaults.vault_address = dated_par.vault_address
    left join deepest_declines
        on vaults.vault_address = deepest_declines.vault_address
    left join ratio_falls
        on vaults.vault_address = ratio_falls.vault_address
)

select
    chain_id::bigint as chain_id,
    vault_address::varchar as vault_address,
    vault_name::varchar as vault_name,
    apy_period_days::integer as apy_period_days,
    from_on::date as from_on,
    to_on::date as to_on,
    days::integer as days,
    days_missing::integer as days_missing,
    return_1d::double as return_1d,
    return_7d::double as return_7d,
    return_30d::double as return_30d,
    return_90d::double as return_90d,
    return_since_start::double as return_since_start,
    volatility_30d::double as volatility_30d,
    volatility_90d::double as volatility_90d,
    max_drawdown::double as max_drawdown,
    max_drawdown_peak_on::date as max_drawdown_peak_on,
    max_drawdown_trough_on::date as max_drawdown_trough_on,
    max_drawdown_recovered_on::date as max_drawdown_recovered_on,
    hours_present::integer as hours_present,
    hours_below_par::integer as hours_below_par,
    share_of_hours_below_par::double as share_of_hours_below_par,
    collateral_ratio_low::double as collateral_ratio_low,
    collateral_ratio_low_at::timestamp as collateral_ratio_low_at,
    ratio_max_drawdown::double as ratio_max_drawdown,
    ratio_max_drawdown_peak_at::timestamp as ratio_max_drawdown_peak_at,
    ratio_max_drawdown_trough_at::timestamp as ratio_max_drawdown_trough_at,
    ratio_max_drawdown_recovered_at::timestamp as ratio_max_drawdown_recovered_at
from joined
