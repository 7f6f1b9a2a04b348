-- Partitions that their newest run did not read whole: a failure, a delay, an entry in quarantine or no access. $1 is how far
-- back to look; a task later than $2 was recorded while the clock was ahead and is ignored. Where a run got nothing but one
-- kind of failure, as all runs since `failing_since`, the partition waits until `retry_at`: a quarter longer than it has
-- failed, at most $3 hours. It does not wait where the whole pipeline failed, or once a neighbour (the same pipeline or the same entity)
-- that failed too has been read since. Tasks without a request are waits.
with

recent as (
    select
        *,
        outcome in ('failed', 'deferred', 'quarantined')
        or (outcome = 'skipped' and coalesce(error_tag in ('Unauthorized', 'Forbidden'), false)) as is_unread
    from ops.tasks
    where finished_at > $1::timestamp and finished_at <= $2::timestamp
),

runs as (
    select
        pipeline,
        entity,
        run_id,
        max(finished_at) as ended_at,
        bool_or(is_unread) as is_unread,
        bool_and(outcome = 'failed') as is_failed,
        sum(requests) > 0 as is_tried,
        arg_max(error_tag, finished_at) filter (outcome = 'failed') as error_tag,
        arg_max(error_text, finished_at) filter (outcome = 'failed') as error_text
    from recent
    semi join (select * from recent where is_unread) as unread using (pipeline, entity)
    group by pipeline, entity, run_id
),

in_order as (
    select
        *,
        lag(is_failed) over partition_runs as was_failed,
        lead(ended_at) over partition_runs is null as is_newest,
        last_value(error_tag) over (
            partition_runs rows between unbounded preceding and unbounded following
        ) as newest_tag
    from runs
    window partition_runs as (partition by pipeline, entity order by ended_at)
),

-- The failures since the partition was last read, or last failed for another reason.
failing as (
    select
        in_order.pipeline,
        in_order.entity,
        min(in_order.ended_at) as failing_since,
        max(in_order.ended_at) filter (in_order.is_tried) as tried_at,
        arg_max(in_order.run_id, in_order.ended_at) filter (in_order.is_tried) as tried_run_id,
        arg_max(in_order.error_text, in_order.ended_at) filter (in_order.is_tried) as error_text
    from in_order
    left join (
        select pipeline, entity, max(ended_at) as ended_at
        from in_order
        where not is_failed or error_tag is distinct from newest_tag
        group by pipeline, entity
    ) as others using (pipeline, entity)
    where in_order.ended_at > coalesce(others.ended_at, timestamp '-infinity')
    group by in_order.pipeline, in_order.entity
),

waiting as (
    select
        *,
        -- A quarter longer, so that runs at equal distances, whose tasks end a little sooner or later, leave out one at least.
        tried_at + least((tried_at - failing_since) * 5 / 4, to_hours($3::integer)) as retry_at
    from failing
    where
        exists (
            select 1
            from recent
            where
                recent.pipeline = failing.pipeline
                and recent.run_id = failing.tried_run_id
                and recent.outcome in ('loaded', 'unchanged', 'empty')
        )
        and not exists (
            select 1
            from in_order
            where
                in_order.was_failed
                and not in_order.is_unread
                and in_order.ended_at > failing.tried_at
                and (in_order.pipeline = failing.pipeline or in_order.entity = failing.entity)
        )
)

select
    in_order.pipeline,
    in_order.entity,
    in_order.error_tag,
    coalesce(waiting.error_text, in_order.error_text) as error_text,
    epoch_us(waiting.failing_since)::double as failing_since,
    epoch_us(waiting.retry_at)::double as retry_at
from in_order
left join waiting using (pipeline, entity)
where in_order.is_newest and in_order.is_unread
