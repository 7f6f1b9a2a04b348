-- What run $1 has recorded about the tasks in $2, which are about to be recorded again.
with

wanted as (
    select unnest(from_json($2, '[{"pipeline":"VARCHAR","entity":"VARCHAR"}]'), recursive := true)
)

select
    pipeline,
    entity,
    "window",
    requests,
    rows_inserted,
    rows_revised,
    seconds
from ops.tasks
semi join wanted using (pipeline, entity)
where run_id = $1
