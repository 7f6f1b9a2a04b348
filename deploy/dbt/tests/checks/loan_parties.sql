-- Written by `make docs` from warehouse/checks/loan_parties.sql: The loan book, a loan's own page and the lists of its parties name the same borrower and lender, and only a party lists the loan.
{{ config(severity='warn', meta={'check': 'loan_parties'}) }}

with

listed as (
    select
        loan_id,
        null as subaccount_address,
        '{{ source('core', 'loans') }}' as source,
        borrower_address,
        lender_address
    from {{ source('core', 'loans') }}
    where is_current
    union all
    select
        loan_id,
        null as subaccount_address,
        '{{ source('core', 'loan_details') }}' as source,
        borrower_address,
        lender_address
    from {{ source('core', 'loan_details') }}
    where is_current
    union all
    select
        loan_id,
        subaccount_address,
        '{{ source('core', 'subaccount_loans') }}' as source,
        borrower_address,
        lender_address
    from {{ source('core', 'subaccount_loans') }}
    where is_current
),

loans as (
    select
        *,
        count(distinct borrower_address) over (partition by loan_id) as borrowers,
        count(distinct lender_address) over (partition by loan_id) as lenders
    from listed
)

select
    loan_id,
    source,
    subaccount_address,
    borrower_address,
    lender_address
from loans
where
    borrowers > 1
    or lenders > 1
    or subaccount_address not in (borrower_address, lender_address)
