-- Net value of a vault and its buffer in USD, in buckets of $width_seconds that keep the lowest buffer.
select
    time_bucket(to_seconds($width_seconds), snapshot_at, $from_at::timestamp) as bucket_at,
    arg_max(total_nav, snapshot_at) as nav_usd,
    min(buffer_usd) as buffer_low_usd,
    arg_max(buffer_usd, snapshot_at) as buffer_usd
from core.position_snapshots
where
    chain_id = $chain_id
    and vault_address = $vault_address
    and snapshot_at >= $from_at
    and snapshot_at < $to_at
group by bucket_at
order by bucket_at
