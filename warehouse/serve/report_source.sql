-- The run whose publication this is, and the last complete day: one that was over when a run began to read.
select
    max_by(runs.run_id, runs.started_at) as run_id,
    any_value(
        least(
            clock.now_at::date,
            (
                select max(started_at)::date
                from meta.runs
                where outcome is null or outcome in ('complete', 'partial', 'deferred')
            )
        )
        - 1
    ) as last_day
from mart.clock
left join meta.runs on true
