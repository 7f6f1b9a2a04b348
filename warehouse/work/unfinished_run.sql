-- The run that has not ended, even if its planner died: one at most, since its planner holds a lock. With who is alive,
-- which the locks of take_planner_lock.sql (1) and hold_worker_lock.sql (2) show.
with

alive as (
    select objid as role
    from pg_locks
    where
        locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())
        and classid = 1986098542
        and granted
)

select
    run_id,
    command,
    settings::text as settings,
    request::text as request,
    planner,
    opened_at,
    is_read,
    exists (select from alive where role = 1) as has_planner,
    (select count(*)::int from alive where role = 2) as workers
from runs
order by opened_at
limit 1
