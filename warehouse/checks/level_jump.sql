with

levels as (
    select 'backing' as series, vault_address, observed_at as fact_at, actual_tvl as level
    from core.ratio_history
    union all
    select 'supply' as series, vault_address, observed_at as fact_at, tvl_on_vault as level
    from core.ratio_history
    union all
    select 'nav on ' || chain_id as series, vault_address, snapshot_at as fact_at, total_nav as level
    from core.position_snapshots
    union all
    select 'pnl' as series, vault_address, snapshot_at as fact_at, abs(unrealized_pnl) as level
    from core.pnl_history
    union all
    select 'pnl in asset' as series, vault_address, snapshot_at as fact_at, abs(unrealized_pnl_in_asset) as level
    from core.pnl_history
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
    -- A PnL is often near zero, where any change is a large part of it: what is no larger than usual is no jump.
    (
        level > $tolerance * level_before
        and level > $tolerance * coalesce(level_after, level_before)
        and level > usual_level
    )
    or (
        series not like 'pnl%'
        and level > 0
        and level < level_before / $tolerance
        and level < coalesce(level_after, level_before) / $tolerance
    )
