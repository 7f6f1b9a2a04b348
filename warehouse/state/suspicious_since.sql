-- When the last run before this one ($4) that read the partition found the same window empty although it had rows. A task
-- with an error tag got no whole response.
with

earlier as (
    select *
    from ops.tasks
    where pipeline = $1 and entity = $2 and run_id <> $4
)

select epoch_us(finished_at)::double as finished_at
from earlier
where
    run_id = (select max_by(run_id, finished_at) from earlier)
    and "window" = $3
    and outcome = 'suspicious_empty'
    and error_tag is null
