select
    vault_name,
    series,
    newest_at,
    age_hours,
    target_hours,
    is_stale
from mart.freshness
