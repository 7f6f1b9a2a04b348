-- Whether run $1 recorded task $2, $3, $4 at $5 (microseconds since 1970).
select 1 as is_recorded
from ops.tasks
where
    run_id = $1
    and pipeline = $2
    and entity = $3
    and "window" = $4
    and finished_at = make_timestamp($5::bigint)
