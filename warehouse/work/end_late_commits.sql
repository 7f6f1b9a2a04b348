-- For the process that has the writers' turn: ends the transaction of one that lost its turn during a commit. It would
-- block every other commit for as long as it is stopped, and commit in the middle of another's turn once it resumes.
select pg_terminate_backend(locks.pid, 5000)
from pg_locks as locks
inner join pg_stat_activity as activity on locks.pid = activity.pid
where
    locks.relation = to_regclass('vaulthouse_lake.ducklake_snapshot')
    and locks.mode = 'RowExclusiveLock'
    and activity.datname = current_database()
    and activity.usename = current_user
