with

ranked as (
    select
        *,
        calculated_at::date as day,
        count(*) over day_rows as calculations,
        min(health_factor) over day_rows as lowest,
        -- The first of the day where several calculations gave it, whatever the order of the rows.
        first_value(case when health_factor is not null then calculated_at end) over lowest_first
            as lowest_at
    from core.health_factors as factors
    window
        day_rows as (partition by subaccount_address, calculated_at::date),
        lowest_first as (
            partition by subaccount_address, calculated_at::date
            order by health_factor nulls last, calculated_at
        )
    qualify row_number() over (
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
    changed.subaccount_address,
    changed.day,
    names.name,
    names.vault_names,
    changed.health_factor,
    changed.lowest as health_factor_low,
    changed.lowest_at as health_factor_low_at,
    changed.health_factor_change,
    changed.total_collateral as collateral_usd,
    changed.collateral_change as collateral_usd_change,
    changed.total_loan as debt_usd,
    changed.debt_change as debt_usd_change,
    changed.day - changed.day_before as days_since_before,
    changed.calculations,
    changed.calculated_at
from changed
left join mart.subaccount_names as names using (subaccount_address)
