-- Written by `make docs` from warehouse/checks/apy_smoothing.sql: Smoothed and unsmoothed APYs of a vault are not the same on so many days and twice the averaging period; if they are, the service reads `applySmoothing` under another name: set wire.case or wire.names, then `sync apy_history --full`.
{{ config(severity='warn', meta={'check': 'apy_smoothing'}) }}

select
    unsmoothed.vault_address,
    unsmoothed.averaging_period_days,
    count(*) as days,
    min(unsmoothed.date) as first_date,
    max(unsmoothed.date) as last_date
from {{ source('core', 'apy_history') }} as unsmoothed
inner join {{ source('core', 'apy_history') }} as smoothed
    on
        unsmoothed.vault_address = smoothed.vault_address
        and unsmoothed.averaging_period_days = smoothed.averaging_period_days
        and unsmoothed.date = smoothed.date
where smoothed.is_smoothed and not unsmoothed.is_smoothed
group by unsmoothed.vault_address, unsmoothed.averaging_period_days
having
    count(*) >= greatest(10::double, 2 * unsmoothed.averaging_period_days)
    and count(distinct unsmoothed.apy) > 1
    and bool_and(unsmoothed.apy is not distinct from smoothed.apy)
