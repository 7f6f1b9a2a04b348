-- Freshness of each series over all active vaults, by the time of the newest fact.
with

freshness as (
    select * from mart.freshness
)

select
    series,
    count(*) as vaults,
    count(newest_at) as with_facts,
    count(*) filter (where is_stale and status = 'active') as stale_active,
    max(newest_at) as newest_at,
    round(min(age_hours), 1) as youngest_hours,
    round(median(age_hours) filter (where status = 'active'), 1) as median_hours,
    any_value(target_hours) as target_hours,
from freshness
group by series
order by series
