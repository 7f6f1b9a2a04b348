-- Held until the connection ends. 1986098542 keeps these locks apart from those of others (pg_locks.classid).
select pg_try_advisory_lock(1986098542, 1) as is_held
