-- What need not be read, for all pipelines: absences (§7) remembered since $2, and responses that the service would repeat
-- from its cache (§8), for which $1 has an instant for each pipeline. For a window its newest task counts; for a partition as
-- a whole (window null), the tasks of the newest run that read it. A task later than $3 was recorded while the clock was
-- ahead and is ignored. $4 is before all of these.
with

recent as (
    select
        pipeline,
        entity,
        "window",
        finished_at,
        max_by(run_id, finished_at) over (partition by pipeline, entity) = run_id as is_last_run,
        finished_at <= $3::timestamp
        and case
            when outcome = 'unsupported' or (outcome = 'empty' and error_tag is not null)
                then finished_at > $2::timestamp
            else
                outcome in ('loaded', 'unchanged', 'empty', 'suspicious_empty')
                and finished_at > from_json($1, '"MAP(VARCHAR, TIMESTAMP)"')[pipeline]
        end as is_skipped
    from ops.tasks
    where finished_at > $4::timestamp
),

windows as (
    select
        pipeline,
        entity,
        "window",
        arg_max(is_skipped, finished_at) as is_skipped
    from recent
    group by all
)

select
    pipeline,
    entity,
    "window"
from windows
where is_skipped
union all
select
    pipeline,
    entity,
    null as "window"
from recent
where is_last_run
group by pipeline, entity
having bool_and(is_skipped)
