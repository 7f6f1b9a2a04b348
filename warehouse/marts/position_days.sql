select
    chain_id,
    vault_address,
    snapshot_at::date as day,
    snapshot_at,
    total_nav as nav_usd,
    reported_tvl,
    subaccounts_total_usd,
    buffer_usd
from core.position_snapshots as snapshots
-- The newest snapshot whole, so that the day's figures are of one instant.
qualify row_number() over (
    partition by chain_id, vault_address, snapshot_at::date order by snapshot_at desc
) = 1
