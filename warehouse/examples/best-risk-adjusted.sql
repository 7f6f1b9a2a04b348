-- Which vault that accepts deposits pays best for the risk taken?
-- For an allocator who has room for one more.
--
--     risk_free: yearly yield without risk, a fraction; 0 unless it is set
--
-- annual_return is what a holder gained over 90 days, annualized: the yield the vault credits (apy_return_90d)
-- and the change of its collateral ratio (return_90d). sharpe is annual_return less risk_free, over volatility_90d;
-- calmar is annual_return over max_drawdown. Both measure risk by the hourly ratio. They are null where the ratio
-- did not move, or where figures are missing (missing_reason says which). The yield's 90 days end on apy_to_on, those
-- of the ratio on to_on: where these are more than a day apart, there is no annual_return. Closed vaults are left out.
with

measured as (
    select
        *,
        case
            when apy_to_on between to_on - 1 and to_on + 1
                then power((1 + apy_return_90d) * (1 + return_90d), 365.0 / 90) - 1
        end as annual_return
    from mart.vault_performance
    anti join (
        select chain_id, vault_address
        from mart.vault_names
        where is_closed
    ) using (chain_id, vault_address)
),

adjusted as (
    select
        *,
        (annual_return - coalesce(getvariable('risk_free'), 0)::double) / nullif(volatility_90d, 0)
            as sharpe,
        annual_return / nullif(max_drawdown, 0) as calmar
    from measured
)

select
    case when sharpe is not null then rank() over (order by sharpe desc nulls last) end as place,
    vault_name,
    vault_address,
    to_on,
    apy_to_on,
    annual_return,
    volatility_90d,
    sharpe,
    max_drawdown,
    calmar,
    share_of_hours_below_par,
    coalesce(
        missing_reason,
        case
            when apy_to_on is null then 'no APY'
            when apy_to_on not between to_on - 1 and to_on + 1
                then 'the APY ends on ' || apy_to_on || ', the ratio on ' || to_on
            when apy_return_90d is null then 'no APY on each of the 90 days'
        end
    ) as missing_reason
from adjusted
order by place nulls last, vault_name, vault_address
