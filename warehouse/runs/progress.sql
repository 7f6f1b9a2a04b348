-- Totals of the tasks of run $1 so far, by pipeline and outcome, with a few of their errors.
select
    pipeline,
    outcome,
    count(*) as tasks,
    coalesce(sum(requests), 0)::bigint as requests,
    coalesce(sum(rows_inserted), 0)::bigint as inserted,
    coalesce(sum(rows_revised), 0)::bigint as revised,
    coalesce(sum(rows_unchanged), 0)::bigint as unchanged,
    coalesce(list(error_text order by finished_at) filter (error_text is not null), [])[1:3] as error_texts
from ops.tasks
where run_id = $1
group by all
order by pipeline, outcome
