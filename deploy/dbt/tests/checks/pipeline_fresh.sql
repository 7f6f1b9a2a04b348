-- Written by `make docs` from warehouse/checks/pipeline_fresh.sql: The newest fact, or the newest task with a response, of each pipeline is no older than its target (mart.pipeline_freshness).
{{ config(severity='warn', meta={'check': 'pipeline_fresh'}) }}

select
    pipeline,
    source,
    newest_at,
    age_hours,
    target_hours,
    last_attempted_at
from {{ source('mart', 'pipeline_freshness') }}
where is_stale and pipeline not in (select pipeline from {{ source('mart', 'series') }})
