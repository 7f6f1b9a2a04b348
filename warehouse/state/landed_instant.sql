-- As latest_instant.sql, but only of what brought something: an attempt that got no response says nothing of the clock it is
-- dated by.
select coalesce(max(written), 0) as latest from (
    select epoch_us(max(finished_at)) as written
    from ops.tasks
    where outcome in ('loaded', 'unchanged', 'empty', 'suspicious_empty', 'quarantined')
    union all select epoch_us(max(received_at)) from raw.responses
    union all select epoch_us(max(changed_at)) from ops.partition_changes where table_schema = 'core'
    union all select epoch_us(max(published_at)) from ops.publications
)
