-- The first day of any history, and the day of the newest publication.
select
    least(
        (select min(day) from mart.ratio_days),
        (select min(day) from mart.pnl_days),
        (select min(date) from core.apy_history),
        (select min(date) from core.allocation_history)
    ) as first_on,
    now_at::date as last_on
from mart.clock
