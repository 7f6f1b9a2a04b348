-- Which health factors fell since the day before: because of collateral or debt?
-- For a risk officer, each morning.
--
--     least: least fall of the health factor that counts, a ratio; 0 unless it is set
--
-- The newest day of each subaccount is compared with the previous day with a calculation, days_since_before
-- earlier. The factor is counted collateral over debt: by_collateral is the effect of the change of collateral
-- alone, by_debt the rest. Only listed subaccounts with debt on both days; in USD.
with

days as (
    select
        subaccount_address,
        day,
        name,
        vault_names,
        health_factor,
        health_factor_change,
        collateral_usd,
        collateral_usd_change,
        debt_usd,
        debt_usd_change,
        days_since_before,
        calculated_at
    from mart.subaccount_health_daily
    qualify row_number() over (partition by subaccount_address order by day desc) = 1
),

listed as (
    select
        subaccount_address,
        band
    from mart.subaccount_health
    where is_listed is distinct from false
),

moved as (
    select
        days.subaccount_address,
        days.name,
        days.vault_names,
        days.health_factor,
        days.health_factor_change,
        listed.band,
        days.collateral_usd_change / nullif(days.debt_usd - days.debt_usd_change, 0)
            as by_collateral,
        days.collateral_usd,
        days.collateral_usd_change,
        days.debt_usd,
        days.debt_usd_change,
        days.days_since_before,
        days.calculated_at
    from days
    inner join listed
        on days.subaccount_address = listed.subaccount_address
    where days.debt_usd > 0 and days.debt_usd - days.debt_usd_change > 0
)

select
    subaccount_address,
    name,
    vault_names,
    health_factor,
    band,
    health_factor_change,
    by_collateral,
    health_factor_change - by_collateral as by_debt,
    collateral_usd,
    collateral_usd_change,
    debt_usd,
    debt_usd_change,
    days_since_before,
    calculated_at
from moved
where health_factor_change < -coalesce(getvariable('least'), 0)::double
order by health_factor_change, subaccount_address
