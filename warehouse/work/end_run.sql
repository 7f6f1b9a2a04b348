-- Deletes the run with its claims, so that no worker can commit to it, and what Effect's queue keeps of it. Does nothing
-- where another planner has taken it over.
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
