with

loans as (
    select *
    from mart.loan_book
    where next_payment_amount is not null or next_payment_due_at is not null
),

payments as (
    select
        loans.*,
        loans.next_payment_due_at < clock.now_at as is_overdue,
        -- Only amounts of one token add up, and if one of them is unknown there is no sum.
        case
            when
                loans.next_payment_due_at is not null
                and coalesce(loans.principal_token_address, loans.principal_token_symbol) is not null
                and count(loans.next_payment_amount) over due = count(*) over due
                then sum(loans.next_payment_amount) over due
        end as cumulative_amount
    from loans
    inner join mart.clock on true
    window due as (
        partition by
            loans.principal_token_chain_id,
            coalesce(loans.principal_token_address, loans.principal_token_symbol)
        order by loans.next_payment_due_at nulls last, loans.loan_id
        rows unbounded preceding
    )
)

select
    next_payment_due_at as due_at,
    days_to_next_payment as days_left,
    is_overdue,
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
    principal_token_chain_id,
    next_payment_amount as amount,
    cumulative_amount,
    next_payment_amount / nullif(principal_amount, 0) as share_of_principal,
    read_at
from payments
