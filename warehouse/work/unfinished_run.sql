-- The run that has not ended, even if its planner died: one at most, since its planner holds a lock.
select
    run_id,
    command,
    settings::text as settings,
    request::text as request,
    planner,
    opened_at,
    is_read,
    exists (
        select from pg_locks
        where
            locktype = 'advisory'
            and database = (select oid from pg_database where datname = current_database())
            and classid = 1986098542
            and objid = 1
            and granted
    ) as has_planner
from runs
order by opened_at
limit 1
