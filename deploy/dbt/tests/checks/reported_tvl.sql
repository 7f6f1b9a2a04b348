-- Written by `make docs` from warehouse/checks/reported_tvl.sql: A vault with a net asset value above this reports total assets of more than 0.
{{ config(severity='warn', meta={'check': 'reported_tvl'}) }}

select
    vault_address,
    chain_id,
    snapshot_at,
    total_nav,
    reported_tvl
from {{ source('core', 'position_snapshots') }}
where _updated_at >= make_timestamp(0::BIGINT) and total_nav > 1::double and reported_tvl = 0
