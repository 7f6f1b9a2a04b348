-- The lowest collateral ratio of each of the vaults in buckets of $width_seconds. $vaults has their addresses, with a blank
-- between two.
select
    vault_address,
    time_bucket(to_seconds($width_seconds), observed_at, $from_at::timestamp) as bucket_at,
    min(collateral_ratio) as figure
from mart.ratio_points
where
    vault_address in (select unnest(string_split($vaults, ' ')))
    and observed_at >= $from_at
    and observed_at < $to_at
    and collateral_ratio is not null
group by vault_address, bucket_at
order by bucket_at, vault_address
