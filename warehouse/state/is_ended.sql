-- Whether run $1 is recorded as ended. Not that of a swap: what it sent is recorded even so.
select 1 as is_ended
from ops.runs
where run_id = $1 and outcome is not null and command <> 'swap'
