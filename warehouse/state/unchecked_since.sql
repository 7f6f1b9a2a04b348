-- From when on rows may not have been checked: the start of the run $1, or that of an earlier one that ended before its checks. A run
-- that begins after the end of such a run, and checks, has checked its rows too.
select epoch_us(min(started_at))::double as at
from ops.runs
where
    run_id = $1
    or (
        outcome in ('failed', 'stopped', 'killed')
        and finished_at > coalesce(
            (
                select max(checked.started_at)
                from ops.runs as checked
                where
                    checked.run_id <> $1
                    and checked.command <> 'swap'
                    and checked.outcome in ('complete', 'partial', 'deferred')
            ),
            '-infinity'::timestamp
        )
    )
