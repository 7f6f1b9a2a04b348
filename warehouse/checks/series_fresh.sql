select
    chain_id,
    vault_address,
    series,
    newest_at,
    age_hours,
    target_hours,
    last_attempted_at,
    last_outcome
from mart.freshness
where is_stale and not is_closed and newest_at is not null and age_hours > target_hours + $tolerance
