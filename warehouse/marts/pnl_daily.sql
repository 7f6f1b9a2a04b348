with

-- Compared with the previous close, however long ago, so that the changes of a month add up to the change over the month
-- even if days are missing.
changes as (
    select
        vault_address,
        day,
        pnl_usd_open,
        pnl_usd_low,
        pnl_usd_high,
        pnl_usd_close,
        pnl_in_asset_open,
        pnl_in_asset_low,
        pnl_in_asset_high,
        pnl_in_asset_close,
        last_at as newest_at,
        snapshots,
        last_value(
            case when pnl_usd_close is not null or pnl_in_asset_close is not null then day end ignore nulls
        ) over closed_before as day_before,
        pnl_usd_close - last_value(pnl_usd_close ignore nulls) over closed_before
            as pnl_usd_change,
        pnl_in_asset_close - last_value(pnl_in_asset_close ignore nulls) over closed_before
            as pnl_in_asset_change
    from mart.pnl_days as days
    window
        closed_before as (
            partition by vault_address
            order by day
            rows between unbounded preceding and 1 preceding
        )
),

named as (
    select changes.*, vaults.chain_id, vaults.vault_name
    from changes
    left join mart.vault_addresses as vaults using (vault_address)
)

select
    vault_address,
    day,
    chain_id,
    vault_name,
    date_trunc('month', day) as month,
    pnl_usd_open,
    pnl_usd_low,
    pnl_usd_high,
    pnl_usd_close,
    pnl_usd_change,
    pnl_in_asset_open,
    pnl_in_asset_low,
    pnl_in_asset_high,
    pnl_in_asset_close,
    pnl_in_asset_change,
    newest_at,
    snapshots,
    day - day_before as days_since_before
from named
