select
    subaccount_address,
    loan_id,
    state,
    principal_amount,
    interest_amount,
    apr,
    lender_apr,
    valid_from
from core.subaccount_loans
where
    is_current
    and _updated_at >= $since
    and (principal_amount < 0 or interest_amount < 0 or apr < 0 or lender_apr < 0)
