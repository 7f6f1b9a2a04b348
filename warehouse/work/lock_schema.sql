-- A lock until the transaction ends, so that one process at a time changes the schema.
select pg_advisory_xact_lock(hashtextextended('vaulthouse_work schema', 0))
