-- Which vault pays best for the risk taken?
-- Asked by an allocator who has room for one more.
--
--     $risk_free = 0  yearly yield without risk, a fraction
--
-- annual_return is return_90d carried to a year. sharpe is what it is above $risk_free over volatility_90d;
-- calmar is annual_return over max_drawdown. Both are null where the risk measured is zero: that is no
-- infinite merit. Both flatter every vault alike, since the daily APY they come from is an average
-- (apy_period_days): compare vaults with each other, not with figures from elsewhere. Only vaults with 90
-- days without a hole have a place.
with

performance as (
    select
        vault_name,
        vault_address,
        apy_period_days,
        to_on,
        return_90d,
        volatility_90d,
        max_drawdown,
        share_of_hours_below_par
    from mart.vault_performance
),

measured as (
    select
        vault_name,
        vault_address,
        apy_period_days,
        to_on,
        power(1 + return_90d, 365.0 / 90) - 1 as annual_return,
        volatility_90d,
        max_drawdown,
        share_of_hours_below_par
    from performance
),

adjusted as (
    select
        vault_name,
        vault_address,
        apy_period_days,
        to_on,
        annual_return,
        volatility_90d,
        max_drawdown,
        share_of_hours_below_par,
        (annual_return - $risk_free::double) / nullif(volatility_90d, 0) as sharpe,
        annual_return / nullif(max_drawdown, 0) as calmar
    from measured
)

select
    case when sharpe is not null then rank() over (order by sharpe desc nulls last) end as place,
    vault_name,
    vault_address,
    to_on,
    annual_return,
    volatility_90d,
    sharpe,
    max_drawdown,
    calmar,
    share_of_hours_below_par,
    apy_period_days
from adjusted
order by place nulls last, vault_name
