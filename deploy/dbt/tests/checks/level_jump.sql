-- Written by `make docs` from warehouse/checks/level_jump.sql: Backing, supply, NAV and PnL are not this many times those of the points before and after, nor a fraction as small.
{{ config(severity='warn', meta={'check': 'level_jump'}) }}

with

levels as (
    select 'backing' as series, vault_address, observed_at as fact_at, actual_tvl as level
    from {{ source('core', 'ratio_history') }}
    union all
    select 'supply' as series, vault_address, observed_at as fact_at, tvl_on_vault as level
    from {{ source('core', 'ratio_history') }}
    union all
    select 'nav on ' || chain_id as series, vault_address, snapshot_at as fact_at, total_nav as level
    from {{ source('core', 'position_snapshots') }}
    union all
    select 'pnl' as series, vault_address, snapshot_at as fact_at, abs(unrealized_pnl) as level
    from {{ source('core', 'pnl_history') }}
    union all
    select 'pnl in asset' as series, vault_address, snapshot_at as fact_at, abs(unrealized_pnl_in_asset) as level
    from {{ source('core', 'pnl_history') }}
),

usual as (
    select series, vault_address, median(level) as usual_level
    from levels
    group by series, vault_address
),

neighbours as (
    select
        *,
        lag(level) over history as level_before,
        lead(level) over history as level_after
    from levels
    where level is not null
    window history as (partition by series, vault_address order by fact_at)
)

select
    neighbours.vault_address,
    neighbours.series,
    neighbours.fact_at,
    neighbours.level_before,
    neighbours.level,
    neighbours.level_after
from neighbours
inner join usual using (series, vault_address)
where
    (
        level > 10::double * level_before
        and level > 10::double * coalesce(level_after, level_before)
        and level > usual_level
    )
    or (
        series not like 'pnl%'
        and level > 0
        and level < level_before / 10::double
        and level < coalesce(level_after, level_before) / 10::double
    )
