-- Totals of the tasks of run $1, and its start.
select
    count(*) as tasks,
    coalesce(sum(requests), 0)::bigint as requests,
    coalesce(sum(rows_inserted), 0)::bigint as rows_inserted,
    coalesce(sum(rows_revised), 0)::bigint as rows_revised,
    (select epoch_us(started_at)::double from ops.runs where run_id = $1) as started_at
from ops.tasks
where run_id = $1
