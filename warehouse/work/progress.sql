-- How far each pipeline of run $1 is.
select
    pipeline,
    count(*)::int as tasks,
    (count(*) filter (where is_done))::int as done
from claims
where run_id = $1
group by pipeline
