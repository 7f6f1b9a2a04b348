-- Which subaccounts are nearest to liquidation, and which vaults do they work for?
-- For a risk officer, first thing.
--
--     places: how many; 20 unless it is set
--
-- Only listed subaccounts with debt are ranked. health_factor is a ratio: liquidation is possible below 1.0, and
-- 1.2 is the lowest healthy factor. collateral_fall_to_liquidation is the fraction that the counted collateral may
-- lose before the factor is at 1.0; at zero or below, liquidation is possible already. Look at as_of_at: a figure
-- may be older than the last run.
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
