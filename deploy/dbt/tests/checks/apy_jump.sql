-- Written by `make docs` from warehouse/checks/apy_jump.sql: An APY changes by no more than this from one day to the next (1 is 100 percentage points).
{{ config(severity='warn', meta={'check': 'apy_jump'}) }}

select
    later.vault_address,
    later.date,
    later.is_smoothed,
    later.averaging_period_days,
    earlier.apy as apy_before,
    later.apy
from {{ source('core', 'apy_history') }} as later
inner join {{ source('core', 'apy_history') }} as earlier
    on
        later.vault_address = earlier.vault_address
        and later.is_smoothed = earlier.is_smoothed
        and later.averaging_period_days = earlier.averaging_period_days
        and later.date = earlier.date + 1
where later._updated_at >= make_timestamp(0::BIGINT) and abs(later.apy - earlier.apy) > 1::double
