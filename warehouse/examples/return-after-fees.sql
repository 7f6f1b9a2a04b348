-- What did a holder of each vault gain month by month, before and after fees?
-- For an allocator's report to those whose money it is.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- before_fees and after_fees compound the days of the month: the yield that the vault credits and the change of
-- its collateral ratio, then less both fees at the vault's own rates. fees_usd is what those came to on the net
-- asset value. All are estimates (mart.vault_returns says how). days_not_known counts days without a figure after
-- fees, from the vault's first day on and up to yesterday, those without any figure too: where there are any, both
-- figures of the month are of the other days. are_fees_assumed: some days were before the vault's fees were first read.
-- volatility_30d is that at the end of the month.
with

days as (
    select
        *,
        date_trunc('month', day)::date as month,
        min(day) over (partition by vault_address) as first_on
    from mart.vault_returns
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
)

select
    vault_name,
    vault_address,
    month,
    count(*) as days,
    least(last_day(month), greatest(max(day), max(now_at)::date - 1)) - greatest(month, min(first_on)) + 1
    - count(net_holder_return_1d) as days_not_known,
    product(1 + holder_return_1d order by day) filter (net_holder_return_1d is not null) - 1 as before_fees,
    product(1 + net_holder_return_1d order by day) - 1 as after_fees,
    sum(fees_usd order by day) as fees_usd,
    bool_or(is_fee_assumed) as are_fees_assumed,
    arg_max(volatility_30d, day) as volatility_30d
from days
cross join mart.clock
group by vault_name, vault_address, month
order by vault_name, vault_address, month
