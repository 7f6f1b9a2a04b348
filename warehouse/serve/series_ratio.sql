-- Collateral ratio of a vault between two instants, in buckets of $width_seconds that keep its lowest and highest.
select
    time_bucket(to_seconds($width_seconds), observed_at, $from_at::timestamp) as bucket_at,
    min(collateral_ratio) as low,
    max(collateral_ratio) as high,
    arg_max(collateral_ratio, observed_at) as close,
    count(collateral_ratio) as points
from mart.ratio_points
where
    vault_address = $vault_address
    and observed_at >= $from_at
    and observed_at < $to_at
group by bucket_at
order by bucket_at
