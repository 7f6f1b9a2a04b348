select
    later.vault_address,
    later.date,
    later.is_smoothed,
    later.averaging_period_days,
    earlier.apy as apy_before,
    later.apy
from core.apy_history as later
inner join core.apy_history as earlier
    on
        later.vault_address = earlier.vault_address
        and later.is_smoothed = earlier.is_smoothed
        and later.averaging_period_days = earlier.averaging_period_days
        and later.date = earlier.date + 1
where later._updated_at >= $since and abs(later.apy - earlier.apy) > $tolerance
