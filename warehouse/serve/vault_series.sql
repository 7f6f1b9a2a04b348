-- How old each series of a vault is.
select
    series,
    newest_at,
    age_hours,
    target_hours,
    is_stale,
    last_attempted_at,
    last_outcome
from mart.freshness
where chain_id = $chain_id and vault_address = $vault_address
order by series
