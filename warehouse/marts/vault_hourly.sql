with

vaults as (
    select
        vault_address,
        chain_id,
        vault_name
    from mart.vault_addresses
),

ratio_points as (
    select
        vault_address,
        observed_at,
        actual_tvl,
        tvl_on_vault,
        adjusted_redeem_ratio
    from core.ratio_history
),

pnl_snapshots as (
    select
        vault_address,
        snapshot_at,
        unrealized_pnl,
        unrealized_pnl_in_asset
    from core.pnl_history
),

-- Stacked rather than joined: a filter on the vault or the hour then reaches both tables.
facts as (
    select
        vault_address,
        date_trunc('hour', observed_at)::timestamp as hour_at,
        observed_at as ratio_at,
        actual_tvl as backing,
        tvl_on_vault as supply,
        adjusted_redeem_ratio as collateral_ratio,
        null::timestamp as pnl_at,
        null::double as pnl_usd,
        null::double as pnl_in_asset
    from ratio_points
    union all
    select
        vault_address,
        date_trunc('hour', snapshot_at)::timestamp as hour_at,
        null::timestamp as ratio_at,
        null::double as backing,
        null::double as supply,
        null::double as collateral_ratio,
        snapshot_at as pnl_at,
        unrealized_pnl as pnl_usd,
        unrealized_pnl_in_asset as pnl_in_asset
    from pnl_snapshots
),

hours as (
    select
        vault_address,
        hour_at,
        arg_max(backing, ratio_at) as backing,
        arg_max(supply, ratio_at) as supply,
        arg_max(collateral_ratio, ratio_at) as collateral_ratio,
        max(ratio_at) as ratio_at,
        arg_max(pnl_usd, pnl_at) as pnl_usd,
        arg_max(pnl_in_asset, pnl_at) as pnl_in_asset,
        max(pnl_at) as pnl_at
    from facts
    group by vault_address, hour_at
),

named as (
    select
        hours.*,
        vaults.chain_id,
        vaults.vault_name
    from hours
    left join vaults
        on hours.vault_address = vaults.vault_address
)

select
    vault_address::varchar as vault_address,
    hour_at::timestamp as hour_at,
    chain_id::bigint as chain_id,
    vault_name::varchar as vault_name,
    backing::double as backing,
    supply::double as supply,
    collateral_ratio::double as collateral_ratio,
    ratio_at::timestamp as ratio_at,
    pnl_usd::double as pnl_usd,
    pnl_in_asset::double as pnl_in_asset,
    pnl_at::timestamp as pnl_at
from named
