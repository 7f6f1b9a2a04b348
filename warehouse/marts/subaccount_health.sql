with

summaries as (select * from core.subaccount_summaries where is_current),

directory as (select * from core.subaccounts where is_current),

newest_factors as (
    select *
    from core.health_factors
    qualify row_number() over (
        partition by subaccount_address
        order by calculated_at desc, health_factor_id
    ) = 1
),

-- All figures come from one calculation: those of the summary are not mixed with those of a health factor.
figures as (
    select
        subaccount_address,
        'health_factor' as source,
        calculated_at as as_of_at,
        health_factor,
        total_collateral as collateral_usd,
        total_loan as debt_usd
    from newest_factors
    union all
    select
        subaccount_address,
        'summary' as source,
        valid_from as as_of_at,
        health_factor,
        total_collateral_value as collateral_usd,
        total_loan_value as debt_usd
    from summaries
    where subaccount_address not in (select subaccount_address from newest_factors)
),

measured as (
    select
        *,
        debt_usd > 0 as has_debt,
        -- §2.3 leaves the bounds open: 1.2 is the least factor held to be healthy enough, and
        -- critical begins below 1.0, so that a bound belongs to the milder band; healthy is above 1.5.
        case
            when health_factor > 1.5 then 'healthy'
            when health_factor >= 1.2 then 'moderate'
            when health_factor >= 1.0 then 'high risk'
            when health_factor < 1.0 then 'critical'
        end as band,
        -- The factor is proportional to the collateral: at 1.2, 1.2 / factor of it is left. Without debt
        -- none has to be left.
        case
            when debt_usd = 0 then collateral_usd
            when debt_usd > 0 and health_factor > 0
                then collateral_usd * (1 - 1.2 / health_factor)
        end as collateral_to_spare_usd
    from figures
),

-- A subaccount in no list is no longer requested: its last factor is not a current risk.
named as (
    select
        measured.*,
        names.name,
        names.is_listed,
        names.linked_vaults,
        names.vault_names,
        measured.has_debt and names.is_listed is distinct from false as is_at_risk
    from measured
    left join mart.subaccount_names as names using (subaccount_address)
),

ranked as (
    select
        *,
        case
            when is_at_risk
                then rank() over (partition by is_at_risk order by health_factor)
        end as risk_rank
    from named
)

select
    ranked.subaccount_address,
    ranked.name,
    summaries.type,
    directory.status,
    ranked.is_listed,
    ranked.health_factor,
    ranked.band,
    ranked.has_debt,
    ranked.risk_rank,
    ranked.collateral_usd,
    ranked.debt_usd,
    case when ranked.has_debt then ranked.health_factor - 1.2 end as distance_to_minimum,
    ranked.collateral_to_spare_usd,
    directory.min_health_factor,
    ranked.health_factor < directory.min_health_factor as is_below_own_minimum,
    summaries.net_account_value as net_account_value_usd,
    ranked.source,
    ranked.as_of_at,
    date_diff('second', ranked.as_of_at, clock.now_at) / 3600 as age_hours,
    coalesce(ranked.linked_vaults, 0) as linked_vaults,
    ranked.vault_names
from ranked
inner join mart.clock on true
left join summaries using (subaccount_address)
left join directory using (subaccount_address)
