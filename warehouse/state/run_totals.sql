-- What the tasks of run $1 come to.
select
    count(*) as tasks,
    coalesce(sum(requests), 0)::bigint as requests,
    coalesce(sum(rows_inserted), 0)::bigint as rows_inserted,
    coalesce(sum(rows_revised), 0)::bigint as rows_revised
from ops.tasks
where run_id = $1
