-- Written by `make docs` from warehouse/checks/ratio_against_positions.sql: The supply of a ratio point is what the position snapshot of the same hour reports, except for this share; of an address on several chains, the snapshot of the vault it stands for (mart.vault_addresses).
{{ config(severity='warn', meta={'check': 'ratio_against_positions'}) }}

with
snapshots as (
    select
        snapshots.vault_address,
        date_trunc('hour', snapshots.snapshot_at)::timestamp as hour_at,
        snapshots.snapshot_at,
        snapshots.reported_tvl
    from {{ source('core', 'position_snapshots') }} as snapshots
    left join {{ source('mart', 'vault_addresses') }} as addresses using (vault_address)
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
    from {{ source('core', 'ratio_history') }}
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
    > 0.01::double * greatest(abs(snapshots.reported_tvl), abs(ratios.tvl_on_vault))
