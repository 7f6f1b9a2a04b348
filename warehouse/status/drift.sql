-- Fields the document does not name, or of another type than expected.
select endpoint, kind, count(*) as fields, string_agg(json_path, ', ' order by json_path) as paths
from ops.schema_drift
group by endpoint, kind
order by all
