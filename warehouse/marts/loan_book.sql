with

loans as (
    select
        loan_id,
        chain_id,
        loan_address,
        state,
        borrower_address,
        lender_address,
        principal_amount,
        initial_principal_amount,
        interest_amount,
        total_repaid,
        apr,
        lender_apr,
        late_apr,
        principal_token_symbol,
        principal_token_address,
        deployed_at,
        matures_at,
        upcoming_payment_amount,
        upcoming_payment_due_at,
        valid_from
    from core.loans
    where is_current
),

details as (
    select
        loan_id,
        initial_principal_amount,
        total_repaid,
        lender_apr,
        late_apr,
        deployed_at,
        matures_at,
        upcoming_payment_amount,
        upcoming_payment_due_at
    from core.loan_details
    where is_current
),

subaccount_loans as (
    select
        loan_id,
        chain_id,
        loan_address,
        state,
        borrower_address,
        lender_address,
        principal_amount,
        initial_principal_amount,
        interest_amount,
        total_repaid,
        apr,
        lender_apr,
        late_apr,
        principal_token_symbol,
        principal_token_address,
        deployed_at,
        matures_at,
        upcoming_payment_amount,
        upcoming_payment_due_at,
        valid_from,
        subaccount_address
    from core.subaccount_loans
    where is_current
),

subaccounts as (
    select
        subaccount_address,
        name,
        vault_names
    from mart.subaccount_names
),

asked as (
    select
        pipeline,
        entity,
        answered_at
    from mart.last_asked
    where pipeline in ('loans', 'subaccount_loans')
),

clock as (
    -- UTC whatever the session's time zone, and without the icu extension.
    select make_timestamp(epoch_us(now())) as now_at
),

-- Both parties of a loan may tell of it.
told_once as (
    select *
    from subaccount_loans
    where loan_id not in (select loan_id from loans)
    qualify
        row_number() over (
            partition by loan_id
            order by valid_from desc, subaccount_address
        ) = 1
),

book as (
    select *, 'loan_book' as listed_in, 'loans' as pipeline, '-' as entity from loans
    union all by name
    select
        * exclude (subaccount_address),
        'subaccount' as listed_in,
        'subaccount_loans' as pipeline,
        subaccount_address as entity
    from told_once
),

joined as (
    select
        book.loan_id,
        book.chain_id,
        book.loan_address,
        book.state,
        upper(book.state) = 'ACTIVE' as is_active,
        book.borrower_address,
        borrower.name as borrower_name,
        borrower.vault_names as borrower_vault_names,
        book.lender_address,
        lender.name as lender_name,
        lender.vault_names as lender_vault_names,
        book.principal_token_symbol,
        book.principal_token_address,
        book.principal_amount,
        coalesce(book.initial_principal_amount, details.initial_principal_amount)
            as initial_principal_amount,
        book.interest_amount,
        coalesce(book.total_repaid, details.total_repaid) as total_repaid,
        book.apr,
        coalesce(book.lender_apr, details.lender_apr) as lender_apr,
        coalesce(book.late_apr, details.late_apr) as late_apr,
        coalesce(book.deployed_at, details.deployed_at) as deployed_at,
        coalesce(book.matures_at, details.matures_at) as matures_at,
        -- A payment's amount and date are of one record.
        case
            when book.upcoming_payment_amount is null and book.upcoming_payment_due_at is null
                then details.upcoming_payment_amount
            else book.upcoming_payment_amount
        end as next_payment_amount,
        case
            when book.upcoming_payment_amount is null and book.upcoming_payment_due_at is null
                then details.upcoming_payment_due_at
            else book.upcoming_payment_due_at
        end as next_payment_due_at,
        book.listed_in,
        book.valid_from as since_at,
        coalesce(asked.answered_at, book.valid_from) as read_at,
        clock.now_at
    from book
    cross join clock
    left join details
        on book.loan_id = details.loan_id
    left join subaccounts as borrower
        on book.borrower_address = borrower.subaccount_address
    left join subaccounts as lender
        on book.lender_address = lender.subaccount_address
    left join asked
        on book.pipeline = asked.pipeline and book.entity = asked.entity
)

select
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
    principal_amount::double as principal_amount,
    initial_principal_amount::double as initial_principal_amount,
    interest_amount::double as interest_amount,
    total_repaid::double as total_repaid,
    apr::double as apr,
    lender_apr::double as lender_apr,
    (apr - lender_apr)::double as apr_spread,
    late_apr::double as late_apr,
    deployed_at::timestamp as deployed_at,
    date_diff('day', deployed_at::date, now_at::date)::integer as days_since_deployed,
    matures_at::timestamp as matures_at,
    date_diff('day', now_at::date, matures_at::date)::integer as days_to_maturity,
    next_payment_amount::double as next_payment_amount,
    next_payment_due_at::timestamp as next_payment_due_at,
    date_diff('day', now_at::date, next_payment_due_at::date)::integer as days_to_next_payment,
    listed_in::varchar as listed_in,
    since_at::timestamp as since_at,
    read_at::timestamp as read_at
from joined
