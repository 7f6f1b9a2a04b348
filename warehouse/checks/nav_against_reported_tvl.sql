with

newest as (
    select
        vault_address,
        chain_id,
        snapshot_at,
        total_nav,
        reported_tvl
    from core.position_snapshots
    qualify row_number() over (
        partition by vault_address, chain_id order by snapshot_at desc
    ) = 1
)

select
    vault_address,
    chain_id,
    snapshot_at,
    total_nav,
    reported_tvl,
    total_nav / nullif(reported_tvl, 0) - 1 as difference
from newest
where abs(total_nav - reported_tvl) > $tolerance * abs(reported_tvl)
