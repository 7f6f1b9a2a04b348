-- Results of checks before $1 that nothing needs any more: of each check the newest stays, and those that failed until they
-- are before $2.
select
    run_id,
    check_name
from ops.check_results
where checked_at < $1 and (checked_at < $2 or outcome <> 'failed')
qualify checked_at < max(checked_at) over (partition by check_name)
