-- Unrealized profit and loss of a vault in USD, in buckets as in series_ratio.
select
    time_bucket(to_seconds($width_seconds), snapshot_at, $from_at::timestamp) as bucket_at,
    min(unrealized_pnl) as low,
    max(unrealized_pnl) as high,
    arg_max(unrealized_pnl, snapshot_at) as close,
    count(unrealized_pnl) as points
from core.pnl_history
where
    vault_address = $vault_address
    and snapshot_at >= $from_at
    and snapshot_at < $to_at
group by bucket_at
order by bucket_at
