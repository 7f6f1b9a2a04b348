-- Is a vault growing because it earns, or because people deposit?
-- For an allocator, and a vault operator who watches withdrawals.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- In the vault's own asset. flow is the month's change of supply less its change of unrealized PnL: deposits less
-- withdrawals, if the reported PnL accounts for the rest. Both changes are measured between the newest days of the
-- months that have both figures; supply_change is measured between their newest days. flow is an estimate: it also
-- contains fees and rewards. Null where a month has no PnL.
with

days as (
    select
        vault_address,
        vault_name,
        day,
        supply,
        pnl_in_asset
    from mart.vault_daily
    where
        supply is not null
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
),

months as (
    select
        vault_address,
        vault_name,
        date_trunc('month', day)::date as month,
        last(supply order by day) as supply,
        last(supply order by day) filter (pnl_in_asset is not null) as supply_beside_pnl,
        arg_max(pnl_in_asset, day) as pnl_in_asset
    from days
    group by vault_address, vault_name, date_trunc('month', day)::date
),

changes as (
    select
        vault_address,
        vault_name,
        month,
        supply,
        supply - lag(supply) over vault as supply_change,
        supply_beside_pnl - lag(supply_beside_pnl) over vault as supply_beside_pnl_change,
        pnl_in_asset - lag(pnl_in_asset) over vault as pnl_change
    from months
    window vault as (partition by vault_address order by month)
)

select
    vault_name,
    vault_address,
    month,
    supply,
    supply_change,
    pnl_change,
    supply_beside_pnl_change - pnl_change as flow
from changes
order by vault_name, vault_address, month
