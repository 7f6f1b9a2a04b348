-- Checks of one run's rows that failed.
select severity, check_name, failures
from ops.check_results
where run_id = $run_id and outcome = 'failed'
order by severity, check_name
