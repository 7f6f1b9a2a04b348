-- Checks that failed at the end of one run: of its rows, and of all rows where they had failed before.
select severity, check_name, failures
from ops.check_results
where run_id = $run_id and outcome = 'failed'
order by severity, check_name
