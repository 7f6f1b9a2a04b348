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
    from mart.completeness
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
where missing > $tolerance * expected
