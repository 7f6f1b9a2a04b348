select
    vault_address,
    snapshot_at::date as day,
    min(chain_id) as chain_id,
    min(snapshot_at) as first_at,
    max(snapshot_at) as last_at,
    arg_min(unrealized_pnl, snapshot_at) as pnl_usd_open,
    min(unrealized_pnl) as pnl_usd_low,
    max(unrealized_pnl) as pnl_usd_high,
    arg_max(unrealized_pnl, snapshot_at) as pnl_usd_close,
    arg_min(unrealized_pnl_in_asset, snapshot_at) as pnl_in_asset_open,
    min(unrealized_pnl_in_asset) as pnl_in_asset_low,
    max(unrealized_pnl_in_asset) as pnl_in_asset_high,
    arg_max(unrealized_pnl_in_asset, snapshot_at) as pnl_in_asset_close,
    -- One bit per hour.
    bit_or(1::integer << date_part('hour', snapshot_at)::integer) as hours,
    count(*) as snapshots
from core.pnl_history as pnl_snapshots
group by vault_address, snapshot_at::date
