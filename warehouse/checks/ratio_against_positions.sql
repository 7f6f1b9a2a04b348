with

-- A ratio names an address and no chain: where it is a vault on several, the snapshots are those of the vault it stands for.
snapshots as (
    select
        snapshots.vault_address,
        date_trunc('hour', snapshots.snapshot_at)::timestamp as hour_at,
        snapshots.snapshot_at,
        snapshots.reported_tvl
    from core.position_snapshots as snapshots
    left join mart.vault_addresses as addresses using (vault_address)
    where
        snapshots.reported_tvl is not null
        and (addresses.chain_id is null or snapshots.chain_id = addresses.chain_id)
),

ratios as (
    select
        vault_address,
        date_trunc('hour', observed_at)::timestamp as hour_at,
        observed_at,
        tvl_on_vault
    from core.ratio_history
    where tvl_on_vault is not null
)

select
    snapshots.vault_address,
    snapshots.snapshot_at,
    ratios.observed_at,
    snapshots.reported_tvl,
    ratios.tvl_on_vault
from snapshots
inner join ratios
    on snapshots.vault_address = ratios.vault_address and snapshots.hour_at = ratios.hour_at
where
    abs(snapshots.reported_tvl - ratios.tvl_on_vault)
    > $tolerance * greatest(abs(snapshots.reported_tvl), abs(ratios.tvl_on_vault))
