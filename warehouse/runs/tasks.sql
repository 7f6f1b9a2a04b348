-- A run's tasks by pipeline and outcome.
select
    pipeline,
    outcome,
    count(*) as tasks,
    count(distinct entity) as entities,
    sum(requests)::bigint as requests,
    sum(rows_inserted)::bigint as rows_inserted,
    sum(rows_revised)::bigint as rows_revised,
    sum(rows_unchanged)::bigint as rows_unchanged,
    round(sum(seconds order by seconds), 1) as seconds
from ops.tasks
where run_id = $run_id
group by pipeline, outcome
order by pipeline, outcome
