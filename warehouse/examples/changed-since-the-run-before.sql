-- What did the newest run bring: new facts, revisions, and what did not work?
-- For anyone who looks after the warehouse, each morning. `vaulthouse diff` shows the rows themselves.
--
--     run: id of a run (ops.runs); the newest unless it is set
--
-- One row for each pipeline and outcome. A pipeline whose rows_inserted and rows_revised are zero found nothing
-- new, which is not a fault. error_text is one of the errors with this outcome; null where nothing failed.
with

tasks as (
    select
        run_id,
        pipeline,
        entity,
        outcome,
        requests,
        rows_inserted,
        rows_revised,
        rows_unchanged,
        error_text
    from ops.tasks
),

runs as (
    select
        run_id,
        started_at
    from ops.runs
    where started_at = (select max(started_at) from ops.runs) or run_id = getvariable('run')::varchar
),

meant as (
    select
        run_id,
        started_at
    from runs
    where getvariable('run')::varchar is null or run_id = getvariable('run')::varchar
)

select
    meant.started_at,
    tasks.pipeline,
    tasks.outcome,
    count(distinct tasks.entity) as entities,
    sum(tasks.requests) as requests,
    sum(tasks.rows_inserted) as rows_inserted,
    sum(tasks.rows_revised) as rows_revised,
    sum(tasks.rows_unchanged) as rows_unchanged,
    max(tasks.error_text) as error_text
from meant
inner join tasks
    on meant.run_id = tasks.run_id
group by meant.started_at, tasks.pipeline, tasks.outcome
order by tasks.pipeline, tasks.outcome
