-- What run $1 showed about its API key, in order: every refusal, and each pipeline's first task without an error.
select
    pipeline,
    entity,
    error_tag,
    finished_at
from ops.tasks
where run_id = $1 and error_tag in ('Unauthorized', 'Forbidden')
union all
select
    pipeline,
    '-' as entity,
    null as error_tag,
    min(finished_at) as finished_at
from ops.tasks
where run_id = $1 and error_tag is null and requests > 0
group by pipeline
order by finished_at
