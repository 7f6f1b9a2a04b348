-- The latest instant that earlier runs wrote, microseconds since 1970: a clock set back must not make new rows older
-- than old ones. A warehouse rebuilt from the archive alone has no runs, only responses.
select coalesce(max(written), 0) as latest from (
    select epoch_us(max(finished_at)) as written from ops.tasks
    union all select epoch_us(max(greatest(started_at, finished_at))) from ops.runs
    union all select epoch_us(max(received_at)) from raw.responses
    union all select epoch_us(max(changed_at)) from ops.partition_changes
    union all select epoch_us(max(published_at)) from ops.publications
)
