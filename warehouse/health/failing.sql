-- Tasks that failed, were deferred, or were refused to the API key, in the newest run of each pipeline that the runs still
-- read. A refusal counts where the run read nothing of the pipeline and an earlier one of 90 days did.
with

recent as (
    select *
    from ops.tasks
    where finished_at > (select max(finished_at) from ops.tasks) - interval 90 days
),

newest as (
    select pipeline, max_by(run_id, finished_at) as run_id
    from recent
    semi join read_lately using (pipeline)
    group by pipeline
),

tasks as (
    select
        recent.*,
        outcome = 'skipped' and coalesce(error_tag in ('Unauthorized', 'Forbidden'), false) as is_refused
    from recent
    semi join newest using (pipeline, run_id)
),

counted as (
    select
        pipeline,
        run_id,
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
    refused = tasks and pipeline in (
        select pipeline from recent where outcome in ('loaded', 'unchanged')
    ) as is_refused,
    since,
    failed_text,
    deferred_text
from counted
where failed + deferred + refused > 0
order by pipeline
