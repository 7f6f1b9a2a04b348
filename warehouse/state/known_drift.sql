-- Schema drift that earlier runs have recorded.
select
    endpoint,
    json_path,
    kind
from ops.schema_drift
