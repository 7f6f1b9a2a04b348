-- Tasks that failed, were deferred, or were refused to the API key, in the newest run of each pipeline. A refusal counts
-- where the run read nothing of the pipeline and an earlier one did.
with

newest as (
    select
        pipeline,
        max_by(run_id, finished_at) as run_id,
        bool_or(outcome in ('loaded', 'unchanged')) as was_read
    from ops.tasks
    group by pipeline
),

tasks as (
    select
        tasks.*,
        newest.was_read,
        outcome = 'skipped' and coalesce(error_tag in ('Unauthorized', 'Forbidden'), false) as is_refused
    from ops.tasks as tasks
    inner join newest using (pipeline, run_id)
),

counted as (
    select
        pipeline,
        run_id,
        any_value(was_read) as was_read,
        count(*) as tasks,
        count(*) filter (outcome = 'failed') as failed,
        count(*) filter (outcome = 'failed' and requests = 0 and "window" = 'all') as waiting,
        count(*) filter (outcome = 'deferred') as deferred,
        count(*) filter (is_refused) as refused,
        min(finished_at) filter (outcome in ('failed', 'deferred') or is_refused) as since,
        arg_min(error_text, finished_at) filter (outcome = 'failed') as failed_text,
        arg_min(error_text, finished_at) filter (outcome = 'deferred') as deferred_text
    from tasks
    group by pipeline, run_id
)

select
    pipeline,
    run_id,
    tasks,
    failed,
    waiting,
    deferred,
    refused = tasks and was_read as is_refused,
    since,
    failed_text,
    deferred_text
from counted
where failed + deferred + refused > 0
order by pipeline
