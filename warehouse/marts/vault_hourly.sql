with

snapshots as (
    select
        chain_id,
        vault_address,
        snapshot_at,
        date_trunc('hour', snapshot_at)::timestamp as hour_at,
        total_nav,
        reported_tvl,
        buffer_usd
    from core.position_snapshots
),

-- The newest snapshot as a whole, so that the hour's figures are of one instant. Where one address is a vault on several
-- chains, it is that of the row's vault.
snapshot_hours as (
    select
        snapshots.vault_address,
        snapshots.hour_at,
        snapshots.snapshot_at,
        snapshots.total_nav,
        snapshots.reported_tvl,
        snapshots.buffer_usd
    from snapshots
    left join mart.vault_addresses as vaults using (vault_address)
    where vaults.chain_id is null or snapshots.chain_id = vaults.chain_id
    qualify row_number() over (
        partition by snapshots.vault_address, snapshots.hour_at
        order by snapshots.snapshot_at desc, snapshots.chain_id
    ) = 1
),

-- Stacked rather than joined: a filter on the vault or the hour then reaches every table.
facts as (
    select
        vault_address,
        date_trunc('hour', observed_at)::timestamp as hour_at,
        observed_at as ratio_at,
        backing,
        supply,
        collateral_ratio,
        is_below_par,
        null::timestamp as pnl_at,
        null::double as pnl_usd,
        null::double as pnl_in_asset,
        null::timestamp as nav_at,
        null::double as nav_usd,
        null::double as reported_tvl,
        null::double as buffer_usd
    from mart.ratio_points
    union all
    select
        vault_address,
        date_trunc('hour', snapshot_at)::timestamp as hour_at,
        null::timestamp as ratio_at,
        null::double as backing,
        null::double as supply,
        null::double as collateral_ratio,
        null::boolean as is_below_par,
        snapshot_at as pnl_at,
        unrealized_pnl as pnl_usd,
        unrealized_pnl_in_asset as pnl_in_asset,
        null::timestamp as nav_at,
        null::double as nav_usd,
        null::double as reported_tvl,
        null::double as buffer_usd
    from core.pnl_history as pnl_snapshots
    union all
    select
        vault_address,
        hour_at,
        null::timestamp as ratio_at,
        null::double as backing,
        null::double as supply,
        null::double as collateral_ratio,
        null::boolean as is_below_par,
        null::timestamp as pnl_at,
        null::double as pnl_usd,
        null::double as pnl_in_asset,
        snapshot_at as nav_at,
        total_nav as nav_usd,
        reported_tvl,
        buffer_usd
    from snapshot_hours
),

-- The newest point and the newest snapshot of the hour as a whole: arg_max would skip nulls, and mix instants. Rows without
-- the instant do not count.
hours as (
    select
        vault_address,
        hour_at,
        arg_max_null(backing, ratio_at) as backing,
        arg_max_null(supply, ratio_at) as supply,
        arg_max_null(collateral_ratio, ratio_at) as collateral_ratio,
        max(ratio_at) as ratio_at,
        min(collateral_ratio) as collateral_ratio_low,
        bool_or(is_below_par) as is_below_par,
        arg_max_null(pnl_usd, pnl_at) as pnl_usd,
        arg_max_null(pnl_in_asset, pnl_at) as pnl_in_asset,
        max(pnl_at) as pnl_at,
        -- At most one row of an hour has these.
        max(nav_usd) as nav_usd,
        max(reported_tvl) as reported_tvl,
        max(buffer_usd) as buffer_usd,
        max(nav_at) as nav_at
    from facts
    group by vault_address, hour_at
),

named as (
    select hours.*, vaults.chain_id, vaults.vault_name
    from hours
    left join mart.vault_addresses as vaults using (vault_address)
)

select
    vault_address,
    hour_at,
    chain_id,
    vault_name,
    backing,
    supply,
    collateral_ratio,
    ratio_at,
    pnl_usd,
    pnl_in_asset,
    pnl_at,
    nav_usd,
    reported_tvl,
    buffer_usd,
    buffer_usd / nullif(nav_usd, 0) as buffer_share,
    nav_at,
    collateral_ratio_low,
    is_below_par
from named
