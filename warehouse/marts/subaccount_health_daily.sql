with

factors as (
    select
        subaccount_address,
        calculated_at,
        health_factor_id,
        health_factor,
        total_collateral,
        total_loan
    from core.health_factors
),

names as (
    select
        subaccount_address,
        name,
        vault_names
    from mart.subaccount_names
),

ranked as (
    select
        *,
        calculated_at::date as day,
        count(*) over day_rows as calculations,
        min(health_factor) over day_rows as lowest,
        arg_min(calculated_at, health_factor) over day_rows as lowest_at
    from factors
    window day_rows as (partition by subaccount_address, calculated_at::date)
    qualify
        row_number() over (
            partition by subaccount_address, calculated_at::date
            order by calculated_at desc, health_factor_id
        ) = 1
),

changed as (
    select
        *,
        lag(day) over subaccount as day_before,
        health_factor - lag(health_factor) over subaccount as health_factor_change,
        total_collateral - lag(total_collateral) over subaccount as collateral_change,
        total_loan - lag(total_loan) over subaccount as debt_change
    from ranked
    window subaccount as (partition by subaccount_address order by day)
)

select
    changed.subaccount_address::varchar as subaccount_address,
    changed.day::date as day,
    names.name::varchar as name,
    names.vault_names::varchar as vault_names,
    changed.health_factor::double as health_factor,
    changed.lowest::double as health_factor_low,
    changed.lowest_at::timestamp as health_factor_low_at,
    changed.health_factor_change::double as health_factor_change,
    changed.total_collateral::double as collateral_usd,
    changed.collateral_change::double as collateral_usd_change,
    changed.total_loan::double as debt_usd,
    changed.debt_change::double as debt_usd_change,
    (changed.day - changed.day_before)::integer as days_since_before,
    changed.calculations::integer as calculations,
    changed.calculated_at::timestamp as calculated_at
from changed
left join names
    on changed.subaccount_address = names.subaccount_address
