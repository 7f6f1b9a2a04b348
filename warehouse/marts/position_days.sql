with

-- The newest snapshot as a whole, so that the day's figures are of one instant: arg_max of a single column would skip
-- nulls.
newest as (
    select
        chain_id,
        vault_address,
        snapshot_at::date as day,
        max(snapshot_at) as snapshot_at,
        arg_max(
            {
                'total_nav': total_nav,
                'reported_tvl': reported_tvl,
                'subaccounts_total_usd': subaccounts_total_usd,
                'buffer_usd': buffer_usd
            },
            snapshot_at
        ) as snapshot
    from core.position_snapshots as snapshots
    group by chain_id, vault_address, snapshot_at::date
)

select
    chain_id,
    vault_address,
    day,
    snapshot_at,
    snapshot.total_nav as nav_usd,
    snapshot.reported_tvl,
    snapshot.subaccounts_total_usd,
    snapshot.buffer_usd
from newest
