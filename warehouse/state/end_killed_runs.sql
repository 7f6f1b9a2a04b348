-- Ends the record of every run that was killed: it has the totals of its tasks, and the end of the last of them,
-- or its own start where it has none.
update ops.runs
set
    outcome = 'killed',
    finished_at = coalesce(
        (select max(tasks.finished_at) from ops.tasks where tasks.run_id = runs.run_id),
        started_at
    ),
    tasks = (select count(*) from ops.tasks where tasks.run_id = runs.run_id),
    requests = (
        select coalesce(sum(tasks.requests), 0) from ops.tasks where tasks.run_id = runs.run_id
    ),
    rows_inserted = (
        select coalesce(sum(tasks.rows_inserted), 0) from ops.tasks where tasks.run_id = runs.run_id
    ),
    rows_revised = (
        select coalesce(sum(tasks.rows_revised), 0) from ops.tasks where tasks.run_id = runs.run_id
    )
where outcome is null
