-- Errors of a run's tasks, failures first.
select
    pipeline,
    entity,
    "window",
    outcome,
    error_tag,
    error_text
from ops.tasks
where run_id = $run_id and error_text is not null
order by
    outcome not in ('failed', 'quarantined'),
    outcome,
    pipeline,
    entity,
    "window"
