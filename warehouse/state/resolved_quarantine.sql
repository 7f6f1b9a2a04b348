-- Quarantined responses of runs before $1 that are resolved: a newer entry stands for the window, or it was read again
-- without a rejection and no gap on its days is open. $2: run $1 read everything again, whatever the cursors say.
with

entries as (
    select
        quarantine.*,
        tasks.series,
        coalesce(tasks.covers_from, date '0001-01-01') as covers_from,
        tasks.covers_to,
        -- The runs read from there until it has been read: its task stored nothing, or read a series, whose cursor does not
        -- pass what was rejected. A warehouse rebuilt from the archive has neither the task nor a cursor from then.
        coalesce(tasks.rows_inserted + tasks.rows_revised + tasks.rows_unchanged, 0) = 0
        or tasks.covers_to is not null as is_before_cursor
    from ops.quarantine as quarantine
    left join ops.tasks as tasks
        on
            quarantine.run_id = tasks.run_id
            and quarantine.pipeline = tasks.pipeline
            and quarantine.entity = tasks.entity
            and quarantine."window" = tasks."window"
    where quarantine.closed_at is null and quarantine.run_id <> $1
),

-- Gaps on the days of an entry; all gaps of its partition, if the days are unknown.
gaps as (
    select
        entries.response_id,
        gaps.state,
        entries.covers_to is not null and gaps.updated_at > entries.quarantined_at as is_newer
    from entries
    inner join ops.gaps as gaps
        on
            entries.pipeline = gaps.pipeline
            and entries.entity = gaps.entity
            and coalesce(entries.covers_to >= gaps.from_at::date, true)
            and entries.covers_from <= gaps.to_at::date
),

tasks as (
    select
        *,
        outcome not in ('quarantined', 'failed', 'deferred', 'skipped', 'suspicious_empty') as is_read
    from ops.tasks
    where run_id = $1
),

partitions as (
    select
        pipeline,
        entity
    from tasks
    group by pipeline, entity
    having bool_and(is_read)
),

read_again as (
    -- The gap was closed, by whichever run.
    select response_id
    from gaps
    where state = 'closed' and is_newer
    union
    -- This run read the window, or all of its days.
    select entries.response_id
    from entries
    inner join tasks
        on entries.pipeline = tasks.pipeline and entries.entity = tasks.entity and tasks.is_read
    where
        entries."window" = tasks."window"
        or (
            entries.series is not distinct from tasks.series
            and entries.covers_from >= coalesce(tasks.covers_from, date '0001-01-01')
            and entries.covers_to <= tasks.covers_to
        )
    union
    -- This run read the partition to its end, and began no later than with what is missing.
    select entries.response_id
    from entries
    inner join partitions
        on entries.pipeline = partitions.pipeline and entries.entity = partitions.entity
    left join ops.cursors
        on entries.pipeline = cursors.pipeline and entries.entity = cursors.entity
    where
        $2
        or entries.is_before_cursor
        or entries.pipeline not in (select pipeline from ops.cursors)
        -- The cursor of an audit log.
        or (
            (cursors.cursor ->> 'lastFullScan')::timestamp > entries.quarantined_at
            and (cursors.cursor ->> 'scannedFrom') is null
        )
)

select entries.response_id
from entries
inner join ops.quarantine as newer
    on
        entries.pipeline = newer.pipeline
        and entries.entity = newer.entity
        and entries."window" = newer."window"
        and entries.run_id < newer.run_id
union
select response_id
from read_again
where response_id not in (select response_id from gaps where state = 'open')
