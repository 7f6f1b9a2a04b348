-- The newest day that is over, of all a report may show.
select clock.now_at::date - 1 as last_day
from mart.clock
