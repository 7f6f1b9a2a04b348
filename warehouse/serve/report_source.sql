-- The run whose publication this is, and the last complete day.
select
    max_by(runs.run_id, runs.started_at) as run_id,
    any_value(clock.now_at::date - 1) as last_day
from mart.clock
left join meta.runs on true
