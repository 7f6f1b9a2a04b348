-- Checks whose newest result is a failure, and since when. Freshness is not among them: it depends on the present time.
with

results as (
    select
        *,
        max(checked_at) filter (outcome <> 'failed') over (partition by check_name) as ended_at
    from ops.check_results
    where check_name not in ('series_fresh', 'pipeline_fresh')
)

select
    check_name as name,
    arg_max(severity, checked_at) as severity,
    arg_max(failures, checked_at) as failures,
    min(checked_at) as since
from results
where outcome = 'failed' and (ended_at is null or checked_at > ended_at)
group by check_name
order by severity, check_name
