-- The smoothed APY of each of the vaults, day by day, as in compare_ratio.
select
    vault_address,
    day as bucket_at,
    apy_smoothed as figure
from mart.apy_daily
where
    vault_address in (select unnest(string_split($vaults, ' ')))
    and day >= $from_at::date
    and day < $to_at
    and apy_smoothed is not null
order by day, vault_address
