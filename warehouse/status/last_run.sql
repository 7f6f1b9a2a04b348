-- The newest run that has ended.
select
    run_id,
    command,
    started_at,
    finished_at,
    outcome,
    requests,
    rows_inserted,
    rows_revised,
    epoch(finished_at - started_at) as seconds
from ops.runs
where finished_at is not null and outcome is not null
order by started_at desc, run_id desc
limit 1
