-- What has to be paid in the next days, by which borrower, and in which token?
-- For a vault operator and the treasury that funds it.
--
--     days: days ahead; overdue payments are always there, and those without a date last; 30 unless it is set
--
-- The service reports only the next payment of a loan; mart.loan_book.matures_at is when the loan itself is due,
-- where known. Amounts are in the unit sent, so add them up per token only, as running_amount does; chain_id is the
-- token's. running_amount is null from a payment without an amount on.
select
    due_at,
    days_left,
    is_overdue,
    loan_id,
    state,
    coalesce(borrower_name, borrower_address) as borrower,
    lender_address,
    principal_token_chain_id as chain_id,
    principal_token_symbol as token,
    amount,
    share_of_principal,
    cumulative_amount as running_amount
from mart.upcoming_payments
where days_left is null or days_left <= coalesce(getvariable('days'), 30)::integer
order by due_at nulls last, loan_id
