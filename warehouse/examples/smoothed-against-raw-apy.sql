-- How much does smoothing flatter (or spoil) the yield a vault shows?
-- For an allocator before a quoted APY goes into a comparison.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- Fractions a year. Smoothing is the service's own rolling median and mean: over time the means of both series
-- should be close, and a day on which they differ much is one on which the raw yield jumped. roughness_* is the mean
-- change from day to day; smoothing_removes is the part of it that smoothing removes. Only days with both series.
with

days as (
    select
        vault_address,
        vault_name,
        day,
        apy_smoothed,
        apy_unsmoothed,
        apy_smoothed - apy_unsmoothed as smoothed_minus_unsmoothed
    from mart.vault_daily
    where
        apy_smoothed is not null
        and apy_unsmoothed is not null
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
),

moved as (
    select
        vault_address,
        vault_name,
        day,
        apy_smoothed,
        apy_unsmoothed,
        smoothed_minus_unsmoothed,
        abs(apy_smoothed - lag(apy_smoothed) over vault) as smoothed_move,
        abs(apy_unsmoothed - lag(apy_unsmoothed) over vault) as unsmoothed_move
    from days
    window vault as (partition by vault_address order by day)
)

select
    vault_name,
    vault_address,
    count(*) as days,
    avg(apy_smoothed) as mean_smoothed,
    avg(apy_unsmoothed) as mean_unsmoothed,
    avg(smoothed_minus_unsmoothed) as mean_difference,
    max(abs(smoothed_minus_unsmoothed)) as widest_difference,
    arg_max(day, abs(smoothed_minus_unsmoothed) order by day) as widest_on,
    avg(smoothed_move) as roughness_smoothed,
    avg(unsmoothed_move) as roughness_unsmoothed,
    1 - avg(smoothed_move) / nullif(avg(unsmoothed_move), 0) as smoothing_removes
from moved
group by vault_name, vault_address
order by widest_difference desc, vault_name, vault_address
