-- A lock that all workers share, each until its connection ends: the planner counts its holders.
select pg_advisory_lock_shared(1986098542, 2)
