-- Written by `make docs` from warehouse/checks/pnl_against_nav.sql: A vault's unrealized PnL is no more than this many times its net asset value of the same day.
{{ config(severity='warn', meta={'check': 'pnl_against_nav'}) }}

select
    pnl.vault_address,
    pnl.day,
    pnl.pnl_usd_close,
    snapshots.chain_id,
    snapshots.nav_usd
from {{ source('mart', 'pnl_days') }} as pnl
inner join {{ source('mart', 'vault_addresses') }} as addresses using (vault_address)
inner join {{ source('mart', 'position_days') }} as snapshots
    on
        pnl.vault_address = snapshots.vault_address
        and addresses.chain_id = snapshots.chain_id
        and pnl.day = snapshots.day
where snapshots.nav_usd > 0 and abs(pnl.pnl_usd_close) > 1::double * snapshots.nav_usd
