-- APY of a vault day by day, smoothed and raw.
select
    day,
    apy_smoothed,
    apy_unsmoothed
from mart.apy_daily
where
    vault_address = $vault_address
    and day >= $from_at::date
    and day < $to_at
order by day
