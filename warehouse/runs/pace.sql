-- How long one request of each pipeline took in the last runs that sent any, as a share of those runs' duration.
with recent as (
    select
        run_id,
        epoch(finished_at - started_at) as seconds,
    from ops.runs
    where requests > 0 and finished_at is not null
    order by started_at desc
    limit 5
),

spent as (
    select
        pipeline,
        sum(seconds) as seconds,
        sum(requests) as requests,
    from ops.tasks
    semi join recent using (run_id)
    where requests > 0
    group by pipeline
)

select
    pipeline,
    requests,
    seconds * (select sum(seconds) from recent) / nullif((select sum(seconds) from spent), 0)
        as seconds,
from spent
