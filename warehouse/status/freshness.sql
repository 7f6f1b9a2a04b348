-- Freshness of each series over the active vaults, by the time of the newest fact; then of the other pipelines that are
-- stale or failing, by their newest fact or answered task.
select
    series,
    count(*) as entities,
    count(newest_at) as with_facts,
    count(*) filter (is_stale and status = 'active') as stale,
    max(newest_at) as newest_at,
    round(min(age_hours), 1) as youngest_hours,
    round(median(age_hours) filter (status = 'active'), 1) as median_hours,
    any_value(target_hours) as target_hours
from mart.freshness
group by series
union all
select
    pipeline as series,
    entities,
    case when source = 'fact' then entities end as with_facts,
    greatest(coalesce(is_stale, false)::integer, entities_failing) as stale,
    newest_at,
    round(age_hours, 1) as youngest_hours,
    null as median_hours,
    target_hours
from mart.pipeline_freshness
where (is_stale or entities_failing > 0) and pipeline not in (select pipeline from mart.series)
order by series
