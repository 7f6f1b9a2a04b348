with

newest_factors as (
    select factors.*
    from core.health_factors as factors
    inner join mart.clock on factors.calculated_at::date <= clock.now_at::date
    qualify row_number() over (
        partition by subaccount_address
        order by calculated_at desc, health_factor_id
    ) = 1
),

summaries as (select * from core.subaccount_summaries where is_current),

last_reads as (select * from mart.last_read where pipeline = 'subaccount_summaries'),

readings as (
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
        summaries.subaccount_address,
        'summary' as source,
        coalesce(last_reads.responded_at, summaries.valid_from) as as_of_at,
        summaries.health_factor,
        summaries.total_collateral_value as collateral_usd,
        -- The debt of the loan book and the value of the loans: the service may fill only one of them.
        greatest(summaries.total_debt, summaries.total_loan_value) as debt_usd
    from summaries
    left join last_reads on summaries.subaccount_address = last_reads.entity
)

select
    subaccount_address,
    source,
    as_of_at,
    health_factor,
    collateral_usd,
    debt_usd,
    debt_usd > 0 as has_debt
from readings
