-- The planner's lock, held until the connection ends. 1986098542 keeps it apart from locks of others (pg_locks.classid).
select pg_try_advisory_lock(1986098542, 1) as is_held
