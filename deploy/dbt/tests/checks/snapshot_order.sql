-- Written by `make docs` from warehouse/checks/snapshot_order.sql: A position snapshot that was received later is not older than the one before.
{{ config(severity='warn', meta={'check': 'snapshot_order'}) }}

with
ordered as (
    select
        vault_address,
        chain_id,
        snapshot_at,
        _first_seen_at,
        lag(snapshot_at) over (
            partition by vault_address, chain_id order by _first_seen_at, snapshot_at
        ) as snapshot_before_at
    from {{ source('core', 'position_snapshots') }}
)

select
    vault_address,
    chain_id,
    snapshot_at,
    snapshot_before_at,
    _first_seen_at
from ordered
where snapshot_at < snapshot_before_at
