-- Ends a run with its claims, so that a worker that still has one commits nothing, and with what Effect's queue keeps of it.
-- Nothing where another planner took it over.
with

ended as (
    delete from runs
    where run_id = $1 and planner = $2
    returning run_id
),

forgotten as (
    delete from queue
    using ended
    where queue.queue_name = ended.run_id
)

select run_id from ended
