-- When a vault was below par, the newest episode first: from the first hour below par (mart.ratio_points) to the last
-- before an hour at par. An hour without a point neither proves nor ends an episode.
with

hours as (
    select
        hour_at,
        collateral_ratio_low,
        is_below_par,
        lag(is_below_par) over (order by hour_at) as was_below
    from mart.vault_hourly
    where vault_address = $vault_address and is_below_par is not null
),

numbered as (
    select
        *,
        -- A running sum over rows: DuckDB computes it in one pass, a count with FILTER in seconds.
        sum((not coalesce(was_below, false))::integer) over (
            order by hour_at
            rows between unbounded preceding and current row
        ) as episode
    from hours
)

select
    min(hour_at) as from_at,
    max(hour_at) as to_at,
    count(*) as hours,
    date_diff('hour', min(hour_at), max(hour_at)) + 1 - count(*) as hours_missing,
    min(collateral_ratio_low) as lowest_ratio,
    arg_min(hour_at, collateral_ratio_low order by hour_at) as lowest_at
from numbered
where is_below_par
group by episode
order by from_at desc
limit 20
