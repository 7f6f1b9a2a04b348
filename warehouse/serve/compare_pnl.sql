-- The last unrealized PnL in USD of each of the vaults in buckets of $width_seconds, as in compare_ratio.
select
    vault_address,
    time_bucket(to_seconds($width_seconds), snapshot_at, $from_at::timestamp) as bucket_at,
    arg_max(unrealized_pnl, snapshot_at) as figure
from core.pnl_history
where
    vault_address in (select unnest(string_split($vaults, ' ')))
    and snapshot_at >= $from_at
    and snapshot_at < $to_at
    and unrealized_pnl is not null
group by vault_address, bucket_at
order by bucket_at, vault_address
