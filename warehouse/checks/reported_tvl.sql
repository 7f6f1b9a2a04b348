select
    vault_address,
    chain_id,
    snapshot_at,
    total_nav,
    reported_tvl
from core.position_snapshots
where _updated_at >= $since and total_nav > $tolerance and reported_tvl = 0
