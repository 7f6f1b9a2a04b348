-- Which month made the money, and which lost it?
-- For a vault operator for the monthly letter.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- In USD and in the vault's own asset. Unrealized PnL is a level: a month's result is the sum of its daily changes,
-- and a vault's first day has none, since the level before it is not known. share_of_total is null where the
-- changes add up to zero. A vault's first month, from its first close on, and the present month are partial: do
-- not compare them with whole months. The months add up to the change from the first close to the newest.
with

days as (
    select
        vault_address,
        vault_name,
        month,
        day,
        pnl_usd_change,
        pnl_in_asset_change,
        pnl_usd_close,
        days_since_before
    from mart.pnl_daily
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
),

months as (
    select
        vault_address,
        vault_name,
        month,
        count(*) as days,
        count(*) filter (days_since_before > 1) as changes_over_holes,
        sum(pnl_usd_change) as pnl_usd_change,
        sum(pnl_in_asset_change) as pnl_in_asset_change,
        arg_max(day, pnl_usd_change order by day) as best_day,
        max(pnl_usd_change) as best_day_usd,
        arg_min(day, pnl_usd_change order by day) as worst_day,
        min(pnl_usd_change) as worst_day_usd,
        last(pnl_usd_close order by day) as pnl_usd_close
    from days
    group by vault_address, vault_name, month
)

select
    vault_name,
    vault_address,
    month,
    days,
    changes_over_holes,
    pnl_usd_change,
    pnl_in_asset_change,
    pnl_usd_change / nullif(sum(pnl_usd_change) over (partition by vault_address), 0)
        as share_of_total,
    best_day,
    best_day_usd,
    worst_day,
    worst_day_usd,
    pnl_usd_close
from months
order by vault_name, vault_address, month
