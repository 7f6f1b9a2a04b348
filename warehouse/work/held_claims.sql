-- The claims of $1 that are still held. None of them can be claimed again until this transaction ends.
select
    claims.run_id,
    claims.pipeline,
    claims.entity
from vaulthouse_work.claims
inner join jsonb_to_recordset($1::jsonb) as held (run_id text, pipeline text, entity text, epoch integer)
    using (run_id, pipeline, entity, epoch)
order by claims.run_id, claims.pipeline, claims.entity
for share of claims
