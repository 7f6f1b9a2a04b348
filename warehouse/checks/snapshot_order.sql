with

-- The service returns its newest snapshot: one that is received later is not older.
ordered as (
    select
        vault_address,
        chain_id,
        snapshot_at,
        _first_seen_at,
        lag(snapshot_at) over (
            partition by vault_address, chain_id order by _first_seen_at, snapshot_at
        ) as snapshot_before_at
    from core.position_snapshots
)

select
    vault_address,
    chain_id,
    snapshot_at,
    snapshot_before_at,
    _first_seen_at
from ordered
where snapshot_at < snapshot_before_at
