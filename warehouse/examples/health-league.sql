-- Which subaccounts are nearest to liquidation, and whose are they?
-- For a risk officer, first thing.
--
--     places: how many; 20 unless it is set
--
-- Only subaccounts with debt that a list still has have a place. health_factor is a ratio: liquidation is
-- possible below 1.0, 1.2 is the least that is healthy. collateral_fall_to_liquidation is the fraction the
-- counted collateral may lose before the factor is at 1.0; zero and below is where liquidation is possible
-- already. Mind as_of_at: a figure is as old as it says, whatever the run.
with

health as (
    select
        risk_rank,
        subaccount_address,
        name,
        health_factor,
        band,
        collateral_usd,
        debt_usd,
        collateral_to_spare_usd,
        as_of_at,
        age_hours,
        vault_names
    from mart.subaccount_health
    where risk_rank is not null
)

select
    risk_rank,
    subaccount_address,
    name,
    vault_names,
    health_factor,
    band,
    collateral_usd,
    debt_usd,
    collateral_to_spare_usd,
    1 - 1 / nullif(health_factor, 0) as collateral_fall_to_liquidation,
    as_of_at,
    age_hours
from health
where risk_rank <= coalesce(getvariable('places'), 20)::integer
order by risk_rank, subaccount_address
