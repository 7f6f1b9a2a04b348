-- Responses this run quarantined, and what became of them.
select
    response_id,
    endpoint,
    pipeline,
    entity,
    "window",
    json_path,
    detail,
    closed_at
from ops.quarantine
where run_id = $run_id
order by quarantined_at, pipeline, entity, "window", json_path
