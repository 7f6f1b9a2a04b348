-- Subaccounts with debt: by their current summary, or by the loans they have taken if they have no summary.
with

summaries as (
    select
        subaccount_address,
        greatest(coalesce(total_debt, 0), coalesce(total_loan_value, 0)) > 0 as has_debt
    from core.subaccount_summaries
    where is_current
)

select subaccount_address
from summaries
where has_debt
union
select borrower_address as subaccount_address
from core.loans
where
    is_current
    and borrower_address is not null
    and (state is null or upper(state) = 'ACTIVE')
    and borrower_address not in (select subaccount_address from summaries)
