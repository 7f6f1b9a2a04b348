-- When was a vault below par, for how long each time, and how deep?
-- For a risk officer who writes the incident list.
--
--     vault: address or name of a vault; every vault unless it is set
--     par: collateral ratio below which an hour counts; 1 unless it is set
--
-- One row for each episode: consecutive hours below par. An hour is below par if one of its points is. An hour without
-- a ratio point splits an episode, although it may have been below par too: hours_missing_before counts the hours
-- without a point just before the episode.
-- deepest is a fraction below par: 0.002 is 0.2%.
with

hours as (
    select
        vault_address,
        vault_name,
        hour_at,
        collateral_ratio_low
    from mart.vault_hourly
    where
        collateral_ratio_low is not null
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
),

marked as (
    select
        vault_address,
        vault_name,
        hour_at,
        collateral_ratio_low,
        collateral_ratio_low < coalesce(getvariable('par'), 1)::double as is_below,
        lag(collateral_ratio_low < coalesce(getvariable('par'), 1)::double) over vault as was_below,
        lag(hour_at) over vault as hour_before
    from hours
    window vault as (partition by vault_address order by hour_at)
),

numbered as (
    select
        vault_address,
        vault_name,
        hour_at,
        collateral_ratio_low,
        is_below,
        date_diff('hour', hour_before, hour_at) - 1 as hours_missing,
        count(*) filter (
            not coalesce(was_below, false) or hour_at - hour_before > interval 1 hour
        ) over (partition by vault_address order by hour_at) as episode
    from marked
)

select
    vault_name,
    vault_address,
    min(hour_at) as from_at,
    max(hour_at) + interval 1 hour as until_at,
    count(*) as hours,
    coalesce(getvariable('par'), 1)::double - min(collateral_ratio_low) as deepest,
    arg_min(hour_at, collateral_ratio_low order by hour_at) as deepest_at,
    coalesce(arg_min(hours_missing, hour_at), 0) as hours_missing_before
from numbered
where is_below
group by vault_name, vault_address, episode
order by hours desc, vault_name, vault_address, from_at
