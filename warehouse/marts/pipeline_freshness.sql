with

today as (select now_at::date as today from mart.clock),

-- Pipelines whose rows have the time of the fact. The age of the others is that of the newest task with a response, since
-- there may have been no new event (in the audit log, for example).
newest_facts as (
    select 'ratio_history' as pipeline, max(last_at) as newest_at
    from mart.ratio_days
    inner join today on day <= today
    union all
    select 'pnl_history' as pipeline, max(last_at) as newest_at
    from mart.pnl_days
    inner join today on day <= today
    union all
    select 'positions' as pipeline, max(snapshot_at) as newest_at
    from mart.position_days
    inner join today on day <= today
    union all
    select 'apy_history' as pipeline, max(date)::timestamp as newest_at
    from core.apy_history
    inner join today on date <= today
    union all
    select 'allocation_history' as pipeline, max(date)::timestamp as newest_at
    from core.allocation_history
    inner join today on date <= today
    union all
    select 'oracle_classification' as pipeline, max(date)::timestamp as newest_at
    from core.oracle_classification
    inner join today on date <= today
    union all
    select 'health_factors' as pipeline, max(calculated_at) as newest_at
    from core.health_factors
    inner join today on calculated_at::date <= today
),

attempts as (
    select
        pipeline,
        count(*) as entities,
        count(*) filter (outcome in ('failed', 'quarantined', 'suspicious_empty'))
            as entities_failing,
        max(attempted_at) as last_attempted_at,
        max(responded_at) as last_responded_at
    from mart.last_read
    group by pipeline
),

joined as (
    select
        attempts.*,
        case
            when newest_facts.newest_at is not null then 'fact'
            when attempts.last_responded_at is not null then 'task'
        end as source,
        coalesce(newest_facts.newest_at, attempts.last_responded_at) as newest_at,
        freshness_targets.target_hours
    from attempts
    left join newest_facts using (pipeline)
    left join mart.freshness_targets
        on freshness_targets.pipeline = case when newest_facts.newest_at is null then 'other' else attempts.pipeline end
)

select
    joined.*,
    date_diff('second', newest_at, clock.now_at) / 3600 as age_hours,
    date_diff('second', newest_at, clock.now_at) > target_hours * 3600 as is_stale
from joined
inner join mart.clock on true
