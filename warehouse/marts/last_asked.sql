with

tasks as (
    select
        pipeline,
        entity,
        outcome,
        finished_at
    from ops.tasks
    where outcome not in ('skipped', 'deferred')
),

asked as (
    select
        pipeline,
        entity,
        max(finished_at) as asked_at,
        arg_max(outcome, finished_at) as outcome,
        max(finished_at) filter (outcome in ('loaded', 'unchanged', 'empty')) as answered_at
    from tasks
    group by pipeline, entity
)

select
    pipeline::varchar as pipeline,
    entity::varchar as entity,
    asked_at::timestamp as asked_at,
    outcome::varchar as outcome,
    answered_at::timestamp as answered_at
from asked
