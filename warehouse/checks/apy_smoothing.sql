-- The service smooths unless it is told not to (§4.1), so one that does not read the input sends one series for both.
select
    unsmoothed.vault_address,
    unsmoothed.averaging_period_days,
    count(*) as days,
    min(unsmoothed.date) as first_date,
    max(unsmoothed.date) as last_date
from core.apy_history as unsmoothed
inner join core.apy_history as smoothed
    on
        unsmoothed.vault_address = smoothed.vault_address
        and unsmoothed.averaging_period_days = smoothed.averaging_period_days
        and unsmoothed.date = smoothed.date
where smoothed.is_smoothed and not unsmoothed.is_smoothed
group by unsmoothed.vault_address, unsmoothed.averaging_period_days
having
    count(*) >= greatest($tolerance, 2 * unsmoothed.averaging_period_days)
    -- Smoothing leaves a constant as it is.
    and count(distinct unsmoothed.apy) > 1
    and bool_and(unsmoothed.apy is not distinct from smoothed.apy)
