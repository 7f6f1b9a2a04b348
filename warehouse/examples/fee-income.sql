-- What did each vault take in fees, month by month, in its asset and in USD?
-- For a vault operator, and whoever accounts for the platform.
--
--     vault: address or name of a vault; every vault unless it is set
--     months: how many months, the present one included; 12 unless it is set
--
-- performance_fees is what the service reports, brought from the percentage of the request (20 unless another is
-- configured) to the vault's own: the recorded figure itself is not income if the two differ. performance_fees_usd is
-- that at the price the vault's PnL implies. estimated_fees_usd is another way to it, from yield and rates on the net
-- asset value of each day, management fee included (mart.vault_returns), over estimated_days. A month that is not over
-- still grows; days_not_read of it came after the last reading.
with

estimated as (
    select
        vault_address,
        date_trunc('month', day)::date as month,
        sum(fees_usd order by fees_usd) as estimated_fees_usd,
        count(fees_usd) as estimated_days
    from mart.vault_returns
    group by vault_address, date_trunc('month', day)::date
),

recorded as (
    select
        vault_address,
        month,
        performance_fee_pct,
        performance_fees_at_own_rate,
        performance_fees_usd,
        asset_price_usd,
        is_over,
        days_not_read
    from mart.performance_fees_monthly
    where is_native_denominated
    -- Whichever percentage was requested, the fees at the vault's own are the same.
    qualify row_number() over (
        partition by vault_address, month
        order by annualized_fees_pct = 20 desc, annualized_fees_pct
    ) = 1
),

both_ways as (
    select
        coalesce(recorded.vault_address, estimated.vault_address) as vault_address,
        coalesce(recorded.month, estimated.month) as month,
        recorded.performance_fee_pct,
        recorded.performance_fees_at_own_rate as performance_fees,
        recorded.performance_fees_usd,
        recorded.asset_price_usd,
        recorded.is_over,
        recorded.days_not_read,
        estimated.estimated_fees_usd,
        estimated.estimated_days
    from recorded
    full join estimated on recorded.vault_address = estimated.vault_address and recorded.month = estimated.month
)

select
    vaults.vault_name,
    vaults.vault_address,
    both_ways.month,
    both_ways.performance_fee_pct,
    both_ways.performance_fees,
    both_ways.performance_fees_usd,
    both_ways.asset_price_usd,
    both_ways.estimated_fees_usd,
    both_ways.estimated_days,
    both_ways.is_over,
    both_ways.days_not_read
from both_ways
inner join mart.vault_addresses as vaults on both_ways.vault_address = vaults.vault_address
inner join mart.clock as clock on true
where
    both_ways.month > clock.now_at::date - to_months(coalesce(getvariable('months'), 12)::integer)
    and (
        getvariable('vault')::varchar is null
        or getvariable('vault')::varchar in (vaults.vault_address, vaults.vault_name)
    )
order by vaults.vault_name, vaults.vault_address, both_ways.month
