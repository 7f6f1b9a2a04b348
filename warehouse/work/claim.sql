-- Claims the tasks of $2 that are not done for worker $3. Waits for a commit that is checking one of them. Locked in one
-- order, so that two workers never wait for each other.
with

wanted as (
    select
        claims.pipeline,
        claims.entity
    from claims
    inner join jsonb_to_recordset($2::jsonb) as taken (pipeline text, entity text)
        using (pipeline, entity)
    where claims.run_id = $1 and not claims.is_done
    order by claims.pipeline, claims.entity
    for update of claims
)

update claims set
    epoch = claims.epoch + 1,
    worker = $3
from wanted
where
    claims.run_id = $1
    and claims.pipeline = wanted.pipeline
    and claims.entity = wanted.entity
returning
    claims.pipeline,
    claims.entity,
    claims.epoch,
    claims.task::text as task
