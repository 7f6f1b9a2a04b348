select
    pnl.vault_address,
    pnl.day,
    pnl.pnl_usd_close,
    snapshots.chain_id,
    snapshots.nav_usd
from mart.pnl_days as pnl
inner join mart.vault_addresses as addresses using (vault_address)
inner join mart.position_days as snapshots
    on
        pnl.vault_address = snapshots.vault_address
        and addresses.chain_id = snapshots.chain_id
        and pnl.day = snapshots.day
where snapshots.nav_usd > 0 and abs(pnl.pnl_usd_close) > $tolerance * snapshots.nav_usd
