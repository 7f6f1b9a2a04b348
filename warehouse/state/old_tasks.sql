-- Tasks before $1 that nothing needs any more; failures only before $2. Of each subject (partition, window, days) the newest task
-- of each outcome stays: it says what was read, and when. $3: the pipelines whose windows are the same in every run; of
-- others, a window may be new each time. What quarantine and gaps name stays too.
with

subjects as (
    select
        *,
        dense_rank() over (
            order by
                pipeline,
                entity,
                case when list_contains($3, pipeline) then "window" end,
                series,
                covers_from,
                covers_to
        ) as subject,
        outcome in ('loaded', 'unchanged', 'empty') as is_read
    from ops.tasks
),

ranked as (
    select
        *,
        row_number() over (partition by subject, outcome order by finished_at desc, run_id desc, "window" desc) as age,
        row_number() over (
            partition by subject, is_read, finished_at::date order by finished_at desc, run_id desc, "window" desc
        ) as age_in_day,
        outcome = 'empty'
        and error_tag is null
        and row_number() over (partition by subject, outcome, error_tag order by finished_at, run_id, "window") = 1
            as is_first_empty
    from subjects
),

-- Readings of a whole list of withdrawal requests, as in mart.withdrawal_history.
lists as (
    select
        tasks.chain_id,
        tasks.vault_address,
        tasks.finished_at,
        tasks.run_id,
        tasks.pipeline,
        tasks.entity,
        tasks."window"
    from ops.tasks
    asof left join core.withdrawal_summaries as summaries
        on
            tasks.chain_id = summaries.chain_id
            and tasks.vault_address = summaries.vault_address
            and tasks.finished_at >= summaries.valid_from
    where
        tasks.pipeline = 'withdrawals'
        and tasks.outcome in ('loaded', 'unchanged')
        and (
            summaries.vault_address is null
            or (summaries.pending_requests is not null and summaries.unread_requests is null)
        )
),

-- The last lists of requests that were late by then.
last_lists as (
    select
        lists.run_id,
        lists.pipeline,
        lists.entity,
        lists."window"
    from core.withdrawal_requests as requests
    asof join lists
        on
            requests.chain_id = lists.chain_id
            and requests.vault_address = lists.vault_address
            and requests.valid_to > lists.finished_at
    where requests.estimated_completion_at < lists.finished_at
)

select
    run_id,
    pipeline,
    entity,
    "window"
from ranked
where
    finished_at < $1
    and age > 1
    and (finished_at < $2 or outcome not in ('failed', 'quarantined', 'deferred', 'suspicious_empty'))
    -- mart.withdrawal_queue_daily and mart.performance_fees_monthly say when each day or month was read last.
    and not (is_read and age_in_day = 1 and pipeline in ('withdrawals', 'performance_fees'))
    -- mart.withdrawal_history says of a request that is gone whether the last list that had it was after its time.
    and (run_id, pipeline, entity, "window") not in (
        select (run_id, pipeline, entity, "window") from last_lists
    )
    -- mart.governance_timeline says what was granted since a set was first read, which may have been empty.
    and not (is_first_empty and pipeline in ('roles', 'permissions'))
    and (run_id, pipeline, entity, "window") not in (
        select (run_id, pipeline, entity, "window") from ops.quarantine
    )
    and (run_id, pipeline, entity) not in (select (run_id, pipeline, entity) from ops.gaps)
