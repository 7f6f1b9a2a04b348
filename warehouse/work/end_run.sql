-- Deletes the run with its claims, so that no worker can commit to it, and its entries in Effect's queue. Does nothing
-- if another planner has taken it over. Locks the claims in the order of claim.sql and held_claims.sql before it
-- deletes them in whatever order they are stored, so that it and a worker never wait for each other.
with

locked as materialized (
    select 1 from claims
    where run_id = $1
    order by pipeline, entity
    for update
),

ended as (
    delete from runs
    where run_id = $1 and planner = $2 and (select count(*) from locked) >= 0
    returning run_id
),

forgotten as (
    delete from queue
    using ended
    where queue.queue_name = ended.run_id
)

select run_id from ended
