-- Written by `make docs` from warehouse/checks/loan_apr.sql: An APR is no more than this many times the median of the loan book.
{{ config(severity='warn', meta={'check': 'loan_apr'}) }}

with
aprs as (
    select
        loan_id,
        state,
        apr,
        lender_apr,
        valid_from
    from {{ source('core', 'loans') }}
    where is_current
),

usual as (
    select median(apr) as usual_apr, count(apr) as loans
    from aprs
)

select
    loan_id,
    state,
    apr,
    lender_apr,
    usual_apr,
    valid_from
from aprs
cross join usual
where loans > 2 and usual_apr > 0 and greatest(apr, lender_apr) > 10::double * usual_apr
