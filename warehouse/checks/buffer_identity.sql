with

snapshots as (
    select
        vault_address,
        chain_id,
        snapshot_at,
        total_nav,
        subaccounts_total_usd,
        buffer_usd
    from core.position_snapshots
    where _updated_at >= $since
),

-- From the same response as the snapshot, so written by the same run.
subaccounts as (
    select
        vault_address,
        chain_id,
        snapshot_at,
        sum(total_usd order by total_usd) as total_usd
    from core.position_subaccounts
    where (vault_address, snapshot_at) in (
        select (vault_address, snapshot_at) from snapshots
    )
    group by vault_address, chain_id, snapshot_at
),

compared as (
    select
        snapshots.vault_address,
        snapshots.chain_id,
        snapshots.snapshot_at,
        snapshots.total_nav,
        snapshots.subaccounts_total_usd,
        coalesce(subaccounts.total_usd, 0) as subaccounts_sum_usd,
        snapshots.buffer_usd,
        snapshots.total_nav - coalesce(subaccounts.total_usd, 0) as expected_buffer_usd
    from snapshots
    left join subaccounts
        on
            snapshots.vault_address = subaccounts.vault_address
            and snapshots.chain_id is not distinct from subaccounts.chain_id
            and snapshots.snapshot_at = subaccounts.snapshot_at
)

select
    vault_address,
    chain_id,
    snapshot_at,
    total_nav,
    subaccounts_sum_usd,
    buffer_usd,
    expected_buffer_usd
from compared
where
    abs(buffer_usd - expected_buffer_usd) > $tolerance * greatest(1, abs(total_nav))
    or abs(subaccounts_total_usd - subaccounts_sum_usd) > $tolerance * greatest(1, abs(total_nav))
