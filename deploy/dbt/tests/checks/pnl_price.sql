-- Written by `make docs` from warehouse/checks/pnl_price.sql: The price of a vault's asset, its PnL in USD over its PnL in the asset, is within this factor of the vault's median.
{{ config(severity='warn', meta={'check': 'pnl_price'}) }}

with
prices as (
    select
        vault_address,
        snapshot_at,
        unrealized_pnl,
        unrealized_pnl_in_asset,
        unrealized_pnl / unrealized_pnl_in_asset as price
    from {{ source('core', 'pnl_history') }}
    where unrealized_pnl is not null and unrealized_pnl_in_asset <> 0
    qualify abs(unrealized_pnl_in_asset)
    > 0.01 * median(abs(unrealized_pnl_in_asset)) over (partition by vault_address)
),

usual as (
    select *, median(price) over (partition by vault_address) as usual_price
    from prices
)

select
    vault_address,
    snapshot_at,
    unrealized_pnl,
    unrealized_pnl_in_asset,
    price,
    usual_price
from usual
where usual_price > 0 and price not between usual_price / 10::double and usual_price * 10::double
