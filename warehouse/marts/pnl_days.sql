with

-- Open and close are of one snapshot as a whole, the first and the newest with a figure: arg_max would skip nulls, and mix
-- instants.
snapshots as (
    select
        *,
        case
            when unrealized_pnl is not null or unrealized_pnl_in_asset is not null then snapshot_at
        end as figures_at
    from core.pnl_history as pnl_snapshots
)

select
    vault_address,
    snapshot_at::date as day,
    min(chain_id) as chain_id,
    min(snapshot_at) as first_at,
    max(snapshot_at) as last_at,
    arg_min_null(unrealized_pnl, figures_at) as pnl_usd_open,
    min(unrealized_pnl) as pnl_usd_low,
    max(unrealized_pnl) as pnl_usd_high,
    arg_max_null(unrealized_pnl, figures_at) as pnl_usd_close,
    arg_min_null(unrealized_pnl_in_asset, figures_at) as pnl_in_asset_open,
    min(unrealized_pnl_in_asset) as pnl_in_asset_low,
    max(unrealized_pnl_in_asset) as pnl_in_asset_high,
    arg_max_null(unrealized_pnl_in_asset, figures_at) as pnl_in_asset_close,
    -- One bit per hour.
    bit_or(1::integer << date_part('hour', snapshot_at)::integer) as hours,
    count(*) as snapshots
from snapshots
group by vault_address, snapshot_at::date
