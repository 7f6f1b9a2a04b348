-- When a vault was below par, the newest episode first: from the first point below a ratio of 1 to the last before it was
-- back at par. An hour without a point neither proves nor ends an episode.
with

points as (
    select
        observed_at,
        collateral_ratio,
        collateral_ratio < 1 as is_below,
        lag(collateral_ratio < 1) over (order by observed_at) as was_below
    from mart.ratio_points
    where vault_address = $vault_address and collateral_ratio is not null
),

numbered as (
    select
        *,
        -- A running sum over rows: DuckDB computes it in one pass, a count with FILTER in seconds.
        sum((not coalesce(was_below, false))::integer) over (
            order by observed_at
            rows between unbounded preceding and current row
        ) as episode
    from points
)

select
    min(observed_at) as from_at,
    max(observed_at) as to_at,
    count(*) as hours,
    date_diff('hour', min(observed_at), max(observed_at)) + 1 - count(*) as hours_missing,
    min(collateral_ratio) as lowest_ratio,
    arg_min(observed_at, collateral_ratio) as lowest_at
from numbered
where is_below
group by episode
order by from_at desc
limit 20
