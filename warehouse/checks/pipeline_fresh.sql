select
    pipeline,
    source,
    newest_at,
    age_hours,
    target_hours,
    last_attempted_at
from mart.pipeline_freshness
where is_stale and pipeline not in (select pipeline from mart.series)
