-- Loans that a subaccount of a vault gave or took, those that fall due next first.
with

subaccounts as (
    select subaccount_address
    from mart.vault_subaccount_links
    where chain_id = $chain_id and vault_address = $vault_address
)

select
    loan_id,
    chain_id,
    loan_address,
    state,
    case when lender_address in (from subaccounts) then 'lender' else 'borrower' end as side,
    borrower_name,
    lender_name,
    principal_token_symbol,
    principal_amount,
    interest_amount,
    apr,
    next_payment_amount,
    next_payment_due_at,
    matures_at,
    read_at
from mart.loan_book
where
    is_active
    and (lender_address in (from subaccounts) or borrower_address in (from subaccounts))
order by next_payment_due_at nulls last, matures_at nulls last, loan_id
limit 200
