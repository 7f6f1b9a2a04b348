-- The first day of any history, and the day on which the newest run began.
select
    least(
        (select min(day) from mart.ratio_days),
        (select min(day) from mart.pnl_days),
        (select min(date) from core.apy_history),
        (select min(date) from core.allocation_history)
    ) as first_on,
    least(now_at::date, (select max(started_at)::date from meta.runs)) as last_on
from mart.clock
