with

-- What one unit of the vault's asset is worth, by the two figures of a snapshot. Of a PnL near zero it is mostly rounding.
prices as (
    select
        vault_address,
        snapshot_at,
        unrealized_pnl,
        unrealized_pnl_in_asset,
        unrealized_pnl / unrealized_pnl_in_asset as price
    from core.pnl_history
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
where usual_price > 0 and price not between usual_price / $tolerance and usual_price * $tolerance
