-- Written by `make docs` from warehouse/checks/series_fresh.sql: The newest fact of a series of a vault that is not closed is at most so many hours older than its target (mart.series).
{{ config(severity='warn', meta={'check': 'series_fresh'}) }}

select
    chain_id,
    vault_address,
    series,
    newest_at,
    age_hours,
    target_hours,
    last_attempted_at,
    last_outcome
from {{ source('mart', 'freshness') }}
where is_stale and not is_closed and newest_at is not null and age_hours > target_hours + 1::double
