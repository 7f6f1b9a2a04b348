-- Written by `make docs` from warehouse/checks/series_fresh.sql: The newest fact of an active vault's series is not older than its target (mart.series) plus this many hours.
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
where is_stale and status = 'active' and newest_at is not null and age_hours > target_hours + 1::double
