-- Written by `make docs` from warehouse/checks/series_complete.sql: No more than this share of the hours or days that a vault's series should have was never read or is in quarantine (mart.completeness). What was requested and the service does not have is not a failure.
{{ config(severity='warn', meta={'check': 'series_complete'}) }}

with

expected as (
    select
        vault_address,
        chain_id,
        series,
        count(*) as expected,
        count(*) filter (where state in ('missing', 'quarantined')) as missing,
        min(expected_at) filter (where state in ('missing', 'quarantined')) as first_missing_at,
        max(expected_at) filter (where state in ('missing', 'quarantined')) as last_missing_at
    from {{ source('mart', 'completeness') }}
    group by vault_address, chain_id, series
)

select
    vault_address,
    chain_id,
    series,
    expected,
    missing,
    first_missing_at,
    last_missing_at
from expected
where missing > 0::double * expected
