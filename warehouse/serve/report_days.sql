-- The newest day that is over.
select clock.now_at::date - 1 as last_day
from mart.clock
