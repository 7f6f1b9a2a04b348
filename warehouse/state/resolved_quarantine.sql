-- Quarantined responses of runs before $1 that are resolved: a newer entry stands for the window, or it was read again
-- without a rejection and no gap on its days is open. $2: the pipelines whose windows are the same in every run.
with

entries as (
    select
        quarantine.*,
        tasks.series,
        coalesce(tasks.covers_from, date '0001-01-01') as covers_from,
        tasks.covers_to
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

-- Entries that the cursor of their partition has passed: no run that goes on from it requests them again.
passed as (
    select entries.response_id
    from entries
    inner join ops.cursors
        on entries.pipeline = cursors.pipeline and entries.entity = cursors.entity
    inner join raw.responses on entries.response_id = responses.response_id
    where
        date_trunc('milliseconds', responses.received_at)
        <= (cursors.cursor ->> 'leftInQuarantine')::timestamp
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
        (
            entries."window" = tasks."window"
            and list_contains(from_json($2, '["VARCHAR"]'), entries.pipeline)
        )
        or (
            entries.series is not distinct from tasks.series
            and entries.covers_from >= coalesce(tasks.covers_from, date '0001-01-01')
            and entries.covers_to <= tasks.covers_to
        )
    union
    -- This run read the partition to its end.
    select entries.response_id
    from entries
    inner join partitions
        on entries.pipeline = partitions.pipeline and entries.entity = partitions.entity
),

resolved as (
    select entries.response_id
    from entries
    inner join ops.quarantine as newer
        on
            entries.pipeline = newer.pipeline
            and entries.entity = newer.entity
            and entries."window" = newer."window"
            and entries.run_id <> newer.run_id
            and entries.quarantined_at < newer.quarantined_at
    union
    select response_id
    from read_again
    where response_id not in (select response_id from gaps where state = 'open')
)

select response_id
from resolved
where response_id not in (from passed)
