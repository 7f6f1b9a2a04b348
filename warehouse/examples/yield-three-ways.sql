-- Is a quoted yield in the raw ratio too, day by day?
-- For an allocator who has found two yields of one vault that do not agree.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- Fractions a year: smoothed by the service, not smoothed, and the annualized growth of the collateral ratio from close
-- to close over the same period_days. They need not agree, and a difference is not an error: smoothing is the service's
-- own rolling median and mean, and by §4.1 a yield computed from raw ratios does not match. The ratio is backing over
-- supply, not a share price: it shows what the backing gained on the supply, and does not change where the service
-- reports gains in both. apy_from_ratio is null where the closes are not about period_days apart, or one is missing or
-- not above zero.
with

-- The ratio's growth is taken over the period that the service averages over, so that the two can be compared.
periods as (
    select
        vault_address,
        day,
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
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
    window vault as (partition by vault_address)
),

-- From close to close, by the actual time between them: today has not closed yet, and a day whose points end early
-- closed early.
spans as (
    select
        periods.vault_address,
        periods.day,
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
    vault_name,
    vault_address,
    day,
    period_days,
    apy_smoothed,
    apy_unsmoothed,
    apy_from_ratio,
    apy_smoothed - apy_unsmoothed as smoothed_minus_unsmoothed,
    apy_from_ratio - apy_unsmoothed as from_ratio_minus_unsmoothed
from grown
where
    apy_smoothed is not null
    or apy_unsmoothed is not null
    or apy_from_ratio is not null
order by vault_name, vault_address, day
