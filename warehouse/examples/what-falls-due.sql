-- How much of the loan book falls due when, and how much is overdue?
-- For a risk officer who plans what comes back.
--
--     token: symbol of the token lent; every token unless it is set
--
-- By maturity and by the next payment. Amounts are those of the token: do not add up those of different tokens.
-- cumulative_principal is what is due by the end of the rung; null where a loan has no principal. The service need
-- not send maturities: see the rung `no date`. Rungs on which nothing falls due are left out.
select
    principal_token_symbol as token,
    chain_id,
    bucket,
    loans,
    principal_amount,
    apr,
    cumulative_principal,
    share_of_principal,
    payments,
    payment_amount
from mart.loan_maturities
where
    (loans > 0 or payments > 0)
    and (getvariable('token')::varchar is null or principal_token_symbol = getvariable('token')::varchar)
order by token, chain_id, token_id, place
