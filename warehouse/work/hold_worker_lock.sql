-- Shared by all workers, each until its connection ends: who waits for workers counts its holders.
select pg_advisory_lock_shared(1986098542, 2)
