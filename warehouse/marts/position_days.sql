-- The newest snapshot as a whole, so that the day's figures are of one instant: arg_max would skip nulls.
select
    chain_id,
    vault_address,
    snapshot_at::date as day,
    max(snapshot_at) as snapshot_at,
    arg_max_null(total_nav, snapshot_at) as nav_usd,
    arg_max_null(reported_tvl, snapshot_at) as reported_tvl,
    arg_max_null(subaccounts_total_usd, snapshot_at) as subaccounts_total_usd,
    arg_max_null(buffer_usd, snapshot_at) as buffer_usd
from core.position_snapshots as snapshots
group by chain_id, vault_address, snapshot_at::date
