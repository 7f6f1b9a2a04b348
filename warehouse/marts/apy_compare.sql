with

-- The ratio's growth is taken over the period that the service averages over, so that the two can be compared.
periods as (
    select
        vault_address,
        day,
        chain_id,
        vault_name,
        apy_smoothed,
        apy_smoothed_period_days,
        apy_unsmoothed,
        apy_unsmoothed_period_days,
        collateral_ratio_close,
        collateral_ratio_close_at,
        coalesce(
            max(apy_unsmoothed_period_days) over vault,
            max(apy_smoothed_period_days) over vault
        ) as period_days
    from mart.vault_daily as vault_days
    window vault as (partition by vault_address)
),

-- From close to close, by the actual time between them: today has not closed yet, and a day whose points end early closed
-- early.
spans as (
    select
        periods.vault_address,
        periods.day,
        periods.chain_id,
        periods.vault_name,
        periods.period_days,
        periods.apy_smoothed,
        periods.apy_unsmoothed,
        case
            when periods.collateral_ratio_close > 0 and before.collateral_ratio_close > 0
                then periods.collateral_ratio_close / before.collateral_ratio_close
        end as growth,
        date_diff(
            'second', before.collateral_ratio_close_at, periods.collateral_ratio_close_at
        ) as span_seconds
    from periods
    -- A join: lag() with an offset that is a column counts other rows in DuckDB 2.0.0.
    left join mart.vault_daily as before
        on
            periods.vault_address = before.vault_address
            and periods.day - periods.period_days = before.day
),

grown as (
    select
        vault_address,
        day,
        chain_id,
        vault_name,
        period_days,
        apy_smoothed,
        apy_unsmoothed,
        -- An hour more or less for each day of the period still allows a comparison.
        case
            when abs(span_seconds - 86400 * period_days) <= 3600 * period_days
                then power(growth, 365 * 86400 / span_seconds) - 1
        end as apy_from_ratio
    from spans
)

select
    vault_address,
    day,
    chain_id,
    vault_name,
    period_days,
    apy_smoothed,
    apy_unsmoothed,
    apy_from_ratio,
    apy_smoothed - apy_unsmoothed as smoothed_minus_unsmoothed,
    apy_from_ratio - apy_unsmoothed as from_ratio_minus_unsmoothed,
    apy_from_ratio - apy_smoothed as from_ratio_minus_smoothed
from grown
where
    apy_smoothed is not null
    or apy_unsmoothed is not null
    or apy_from_ratio is not null
