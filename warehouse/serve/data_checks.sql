-- The newest result of each check.
select
    check_name,
    severity,
    outcome,
    failures,
    checked_at,
    run_id
from ops.check_results
qualify row_number() over (partition by check_name order by checked_at desc) = 1
order by severity, check_name
