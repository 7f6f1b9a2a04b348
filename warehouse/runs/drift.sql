-- Fields that this run was the first to see.
select
    endpoint,
    json_path,
    kind,
    detail
from ops.schema_drift
where run_id = $run_id
order by endpoint, kind, json_path
