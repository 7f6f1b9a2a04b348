-- Partitions that their newest run did not read whole: a failure, a delay, an entry in quarantine or no access. $1 is how far
-- back to look; a task later than $2 was recorded while the clock was ahead and is ignored. Where a run got nothing but one
-- kind of failure, as all runs since `failing_since`, the partition waits until `retry_at`: a quarter longer than it has
-- failed, at most $3 hours. It does not wait where the whole pipeline failed, or once a neighbour (the same pipeline or the same entity)
-- that failed too has been read since. Tasks without a request are waits.
-- After a long outage there are as many failures as tasks: numbers stand for the texts until a run is chosen for each partition,
-- since a text for every run would not fit into memory.
with

recent as (
    select
        pipeline,
        entity,
        run_id,
        outcome,
        requests,
        finished_at,
        hash(error_tag) as error_kind,
        outcome in ('failed', 'deferred', 'quarantined')
        or (outcome = 'skipped' and coalesce(error_tag in ('Unauthorized', 'Forbidden'), false)) as is_unread
    from ops.tasks
    where finished_at > $1::timestamp and finished_at <= $2::timestamp
),

partitions as (
    select
        pipeline,
        entity,
        row_number() over (order by pipeline, entity) as partition_no
    from recent
    group by pipeline, entity
    having bool_or(is_unread)
),

run_numbers as (
    select
        run_id,
        row_number() over (order by run_id) as run_no
    from recent
    group by run_id
),

runs as (
    select
        partitions.partition_no,
        run_numbers.run_no,
        max(recent.finished_at) as ended_at,
        bool_or(recent.is_unread) as is_unread,
        bool_and(recent.outcome = 'failed') as is_failed,
        sum(recent.requests) > 0 as is_tried,
        -- 0 where nothing failed.
        coalesce(
            arg_max(recent.error_kind, recent.finished_at) filter (recent.outcome = 'failed'), 0
        ) as error_kind
    from recent
    inner join partitions on recent.pipeline = partitions.pipeline and recent.entity = partitions.entity
    inner join run_numbers on recent.run_id = run_numbers.run_id
    group by partitions.partition_no, run_numbers.run_no
),

newest as (
    select
        partition_no,
        arg_max(run_no, ended_at) as run_no,
        arg_max(error_kind, ended_at) as error_kind
    from runs
    group by partition_no
    having arg_max(is_unread, ended_at)
),

-- The failures since the partition was last read, or last failed for another reason.
failing as (
    select
        runs.partition_no,
        min(runs.ended_at) as failing_since,
        max(runs.ended_at) filter (runs.is_tried) as tried_at,
        arg_max(runs.run_no, runs.ended_at) filter (runs.is_tried) as tried_run_no
    from runs
    inner join newest on runs.partition_no = newest.partition_no
    left join (
        select
            runs.partition_no,
            max(runs.ended_at) as ended_at
        from runs
        inner join newest on runs.partition_no = newest.partition_no
        where not runs.is_failed or runs.error_kind <> newest.error_kind
        group by runs.partition_no
    ) as others on runs.partition_no = others.partition_no
    where runs.ended_at > coalesce(others.ended_at, timestamp '-infinity')
    group by runs.partition_no
),

-- When a partition that had failed was last read, by pipeline and by entity.
mended as (
    select
        partitions.pipeline,
        partitions.entity,
        max(in_order.ended_at) as ended_at
    from (
        select
            *,
            lag(is_failed) over (partition by partition_no order by ended_at) as was_failed
        from runs
    ) as in_order
    inner join partitions on in_order.partition_no = partitions.partition_no
    where in_order.was_failed and not in_order.is_unread
    group by grouping sets ((partitions.pipeline), (partitions.entity))
),

tried as (
    select
        failing.*,
        partitions.pipeline,
        partitions.entity,
        run_numbers.run_id
    from failing
    inner join partitions on failing.partition_no = partitions.partition_no
    inner join run_numbers on failing.tried_run_no = run_numbers.run_no
),

waiting as (
    select
        tried.partition_no,
        tried.tried_run_no,
        tried.failing_since,
        -- A quarter longer, so that runs at equal distances, whose tasks end a little sooner or later, leave out one at least.
        tried.tried_at
        + least((tried.tried_at - tried.failing_since) * 5 / 4, to_hours($3::integer)) as retry_at
    from tried
    semi join (
        select
            recent.pipeline,
            recent.run_id
        from recent
        semi join tried on recent.pipeline = tried.pipeline and recent.run_id = tried.run_id
        where recent.outcome in ('loaded', 'unchanged', 'empty')
    ) as read_beside
        on tried.pipeline = read_beside.pipeline and tried.run_id = read_beside.run_id
    anti join mended
        on tried.pipeline = mended.pipeline and mended.ended_at > tried.tried_at
    anti join mended as of_entity
        on tried.entity = of_entity.entity and of_entity.ended_at > tried.tried_at
),

-- The run that says why: the newest that sent a request, where the partition waits.
chosen as (
    select
        partitions.pipeline,
        partitions.entity,
        run_numbers.run_id,
        waiting.failing_since,
        waiting.retry_at
    from newest
    inner join partitions on newest.partition_no = partitions.partition_no
    left join waiting on newest.partition_no = waiting.partition_no
    inner join run_numbers on coalesce(waiting.tried_run_no, newest.run_no) = run_numbers.run_no
)

select
    chosen.pipeline,
    chosen.entity,
    arg_max(tasks.error_tag, tasks.finished_at) filter (tasks.outcome = 'failed') as error_tag,
    arg_max(tasks.error_text, tasks.finished_at) filter (tasks.outcome = 'failed') as error_text,
    epoch_us(chosen.failing_since)::double as failing_since,
    epoch_us(chosen.retry_at)::double as retry_at
from ops.tasks
inner join chosen
    on
        tasks.pipeline = chosen.pipeline
        and tasks.entity = chosen.entity
        and tasks.run_id = chosen.run_id
where tasks.finished_at > $1::timestamp and tasks.finished_at <= $2::timestamp
group by chosen.pipeline, chosen.entity, chosen.failing_since, chosen.retry_at
