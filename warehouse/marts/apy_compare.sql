with

vault_days as (
    select
        vault_address,
        day,
        chain_id,
        vault_name,
        apy_smoothed,
        apy_smoothed_period_days,
        apy_unsmoothed,
        apy_unsmoothed_period_days,
        collateral_ratio_close
    from mart.vault_daily
),

-- The ratio's growth is taken over the period the service averages over, so that like meets like.
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
        coalesce(
            max(apy_unsmoothed_period_days) over vault,
            max(apy_smoothed_period_days) over vault
        ) as period_days
    from vault_days
    window vault as (partition by vault_address)
),

grown as (
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
                then
                    power(
                        periods.collateral_ratio_close / before.collateral_ratio_close,
                        365 / periods.period_days
                    ) - 1
        end as apy_from_ratio
    from periods
    -- A join: lag() with an offset that is a column counts other rows in DuckDB 2.0.0.
    left join vault_days as before
        on
            periods.vault_address = before.vault_address
            and periods.day - periods.period_days = before.day
)

select
    vault_address::varchar as vault_address,
    day::date as day,
    chain_id::bigint as chain_id,
    vault_name::varchar as vault_name,
    period_days::integer as period_days,
    apy_smoothed::double as apy_smoothed,
    apy_unsmoothed::double as apy_unsmoothed,
    apy_from_ratio::double as apy_from_ratio,
    (apy_smoothed - apy_unsmoothed)::double as smoothed_minus_unsmoothed,
    (apy_from_ratio - apy_unsmoothed)::double as from_ratio_minus_unsmoothed,
    (apy_from_ratio - apy_smoothed)::double as from_ratio_minus_smoothed
from grown
where
    apy_smoothed is not null
    or apy_unsmoothed is not null
    or apy_from_ratio is not null
