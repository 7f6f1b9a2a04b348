with

-- One window for all figures of a table, so that its rows are sorted once. A neighbour is the next figure that is there.
ratios as (
    select
        vault_address,
        observed_at as fact_at,
        actual_tvl as backing,
        lag(actual_tvl ignore nulls) over history as backing_before,
        lead(actual_tvl ignore nulls) over history as backing_after,
        tvl_on_vault as supply,
        lag(tvl_on_vault ignore nulls) over history as supply_before,
        lead(tvl_on_vault ignore nulls) over history as supply_after
    from core.ratio_history
    window history as (partition by vault_address order by observed_at)
),

navs as (
    select
        chain_id,
        vault_address,
        snapshot_at as fact_at,
        total_nav as nav,
        lag(total_nav ignore nulls) over history as nav_before,
        lead(total_nav ignore nulls) over history as nav_after
    from core.position_snapshots
    window history as (partition by chain_id, vault_address order by snapshot_at)
),

pnls as (
    select
        vault_address,
        snapshot_at as fact_at,
        abs(unrealized_pnl) as usd,
        abs(lag(unrealized_pnl ignore nulls) over history) as usd_before,
        abs(lead(unrealized_pnl ignore nulls) over history) as usd_after,
        abs(unrealized_pnl_in_asset) as in_asset,
        abs(lag(unrealized_pnl_in_asset ignore nulls) over history) as in_asset_before,
        abs(lead(unrealized_pnl_in_asset ignore nulls) over history) as in_asset_after
    from core.pnl_history
    window history as (partition by vault_address order by snapshot_at)
),

levels as (
    select
        'backing' as series,
        vault_address,
        fact_at,
        backing as level,
        backing_before as level_before,
        backing_after as level_after
    from ratios
    union all
    select 'supply' as series, vault_address, fact_at, supply as level, supply_before, supply_after
    from ratios
    union all
    select 'nav on ' || chain_id as series, vault_address, fact_at, nav as level, nav_before, nav_after
    from navs
    union all
    select 'pnl' as series, vault_address, fact_at, usd as level, usd_before, usd_after
    from pnls
    union all
    select 'pnl in asset' as series, vault_address, fact_at, in_asset as level, in_asset_before, in_asset_after
    from pnls
),

usual as (
    select series, vault_address, median(level) as usual_level
    from levels
    group by series, vault_address
)

select
    levels.vault_address,
    levels.series,
    levels.fact_at,
    levels.level_before,
    levels.level,
    levels.level_after
from levels
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
