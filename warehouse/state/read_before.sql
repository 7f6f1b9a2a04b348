-- Pipelines that earlier runs had rows for.
select distinct pipeline
from ops.tasks
where outcome in ('loaded', 'unchanged')
