-- The run that has not ended, even if its planner died: one at most, since its planner holds a lock.
select
    run_id,
    command,
    settings::text as settings,
    request::text as request,
    planner,
    opened_at,
    is_read
from runs
order by opened_at
limit 1
