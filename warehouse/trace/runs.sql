-- Runs by their ids.
select
    run_id,
    command,
    started_at,
    outcome,
    base_url,
    vaulthouse_version
from ops.runs
where run_id in (select unnest(string_split($ids, ' ')))
