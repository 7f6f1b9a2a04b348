-- Checks whose newest result is a failure. Freshness is not among them: it depends on the present time.
select
    check_name as name,
    severity,
    failures,
    checked_at as since
from ops.check_results
where outcome <> 'not_applicable' and check_name not in ('series_fresh', 'pipeline_fresh')
qualify row_number() over (partition by check_name order by checked_at desc) = 1 and outcome = 'failed'
order by severity, check_name
