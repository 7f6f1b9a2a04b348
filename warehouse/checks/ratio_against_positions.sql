with

snapshots as (
    select
        vault_address,
        date_trunc('hour', snapshot_at)::timestamp as hour_at,
        snapshot_at,
        reported_tvl
    from core.position_snapshots
    where reported_tvl is not null
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
