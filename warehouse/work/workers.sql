-- How many workers are alive.
select count(*)::int as workers
from pg_locks
where
    locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())
    and classid = 1986098542
    and objid = 2
    and granted
