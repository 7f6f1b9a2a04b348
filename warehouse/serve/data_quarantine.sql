-- Responses and records that broke the contract and are not loaded yet, the newest first.
select
    endpoint,
    pipeline,
    entity,
    json_path,
    detail,
    quarantined_at,
    run_id
from ops.quarantine
where closed_at is null
order by quarantined_at desc, pipeline, entity, "window", json_path
limit 200
