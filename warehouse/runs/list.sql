-- Every run, the newest first.
select
    run_id,
    command,
    started_at,
    round(epoch(finished_at - started_at), 1) as seconds,
    outcome,
    tasks,
    requests,
    rows_inserted,
    rows_revised,
    base_url,
    vaulthouse_version,
    finished_at
from ops.runs
order by started_at desc, run_id desc
