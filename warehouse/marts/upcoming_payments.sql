with

loans as (
    select
        loan_id,
        chain_id,
        loan_address,
        state,
        is_active,
        borrower_address,
        borrower_name,
        borrower_vault_names,
        lender_address,
        lender_name,
        lender_vault_names,
        principal_token_symbol,
        principal_token_address,
        principal_amount,
        next_payment_amount,
        next_payment_due_at,
        days_to_next_payment,
        read_at
    from mart.loan_book
    where next_payment_amount is not null or next_payment_due_at is not null
),

clock as (
    -- UTC whatever the session's time zone, and without the icu extension.
    select make_timestamp(epoch_us(now())) as now_at
),

payments as (
    select
        loans.*,
        loans.next_payment_due_at < clock.now_at as is_overdue,
        -- One token's amounts add up, those of several do not; one that is not known leaves no sum.
        case
            when
                loans.next_payment_due_at is not null
                and count(loans.next_payment_amount) over due = count(*) over due
                then sum(loans.next_payment_amount) over due
        end as cumulative_amount
    from loans
    cross join clock
    window due as (
        partition by
            loans.chain_id, coalesce(loans.principal_token_address, loans.principal_token_symbol)
        order by loans.next_payment_due_at nulls last, loans.loan_id
        rows unbounded preceding
    )
)

select
    next_payment_due_at::timestamp as due_at,
    days_to_next_payment::integer as days_left,
    is_overdue::boolean as is_overdue,
    loan_id::varchar as loan_id,
    chain_id::bigint as chain_id,
    loan_address::varchar as loan_address,
    state::varchar as state,
    is_active::boolean as is_active,
    borrower_address::varchar as borrower_address,
    borrower_name::varchar as borrower_name,
    borrower_vault_names::varchar as borrower_vault_names,
    lender_address::varchar as lender_address,
    lender_name::varchar as lender_name,
    lender_vault_names::varchar as lender_vault_names,
    principal_token_symbol::varchar as principal_token_symbol,
    principal_token_address::varchar as principal_token_address,
    next_payment_amount::double as amount,
    cumulative_amount::double as cumulative_amount,
    (next_payment_amount / nullif(principal_amount, 0))::double as share_of_principal,
    read_at::timestamp as read_at
from payments
