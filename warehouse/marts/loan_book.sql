with

loans as (select * from core.loans where is_current),

-- A loan's own page is read only while the lists show that the loan changes: one that shows another state than the
-- list is of the past, and what it expects may have been paid since.
details as (select *, upper(state) as page_state from core.loan_details where is_current),

last_reads as (select * from mart.last_read where pipeline in ('loans', 'subaccount_loans')),

subaccount_loans as (
    select loans.*, coalesce(last_reads.responded_at, loans.valid_from) as read_at
    from core.subaccount_loans as loans
    left join last_reads
        on
            last_reads.pipeline = 'subaccount_loans'
            and loans.subaccount_address = last_reads.entity
    where loans.is_current
),

-- Whatever is or was in the loan book, and since when it no longer is.
ever_in_book as (
    select
        loan_id,
        chain_id,
        loan_address,
        bool_or(is_current) as is_in_book,
        max(valid_to) as left_at
    from core.loans
    group by loan_id, chain_id, loan_address
),

-- A loan may be listed under both of its parties, and named there without its chain. The list of a subaccount that is no
-- longer requested stays as it was last read: a loan that has left the loan book since is gone.
listed_once as (
    select * exclude (read_at)
    from subaccount_loans
    where
        not exists (
            select 1
            from ever_in_book
            where
                ever_in_book.loan_id = subaccount_loans.loan_id
                and (ever_in_book.is_in_book or ever_in_book.left_at > subaccount_loans.read_at)
        )
        and not exists (
            select 1
            from ever_in_book
            where
                ever_in_book.loan_address = subaccount_loans.loan_address
                and coalesce(ever_in_book.chain_id = subaccount_loans.chain_id, true)
                and (ever_in_book.is_in_book or ever_in_book.left_at > subaccount_loans.read_at)
        )
        and not exists (
            select 1
            from subaccount_loans as named
            where
                subaccount_loans.chain_id is null
                and named.chain_id is not null
                and named.loan_address = subaccount_loans.loan_address
        )
    qualify row_number() over (
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
    from listed_once
),

joined as (
    select
        book.loan_id,
        book.chain_id,
        book.loan_address,
        book.state,
        upper(book.state) = 'ACTIVE' as is_active,
        upper(book.state) is not distinct from details.page_state as is_page_current,
        book.borrower_address,
        borrower.name as borrower_name,
        borrower.vault_names as borrower_vault_names,
        book.lender_address,
        lender.name as lender_name,
        lender.vault_names as lender_vault_names,
        book.principal_token_symbol,
        book.principal_token_address,
        coalesce(book.principal_token_chain_id, details.principal_token_chain_id, book.chain_id)
            as principal_token_chain_id,
        book.principal_amount,
        coalesce(book.initial_principal_amount, details.initial_principal_amount)
            as initial_principal_amount,
        book.interest_amount,
        coalesce(book.total_repaid, case when is_page_current then details.total_repaid end)
            as total_repaid,
        book.apr,
        coalesce(book.lender_apr, details.lender_apr) as lender_apr,
        coalesce(book.late_apr, details.late_apr) as late_apr,
        coalesce(book.deployed_at, details.deployed_at) as deployed_at,
        coalesce(book.matures_at, details.matures_at) as matures_at,
        -- The amount and the date of a payment come from one record.
        case
            when book.upcoming_payment_amount is null and book.upcoming_payment_due_at is null
                then case when is_page_current then details.upcoming_payment_amount end
            else book.upcoming_payment_amount
        end as next_payment_amount,
        case
            when book.upcoming_payment_amount is null and book.upcoming_payment_due_at is null
                then case when is_page_current then details.upcoming_payment_due_at end
            else book.upcoming_payment_due_at
        end as next_payment_due_at,
        book.listed_in,
        book.valid_from as since_at,
        coalesce(last_reads.responded_at, book.valid_from) as read_at,
        clock.now_at
    from book
    inner join mart.clock on true
    left join details using (loan_id)
    left join mart.subaccount_names as borrower
        on book.borrower_address = borrower.subaccount_address
    left join mart.subaccount_names as lender
        on book.lender_address = lender.subaccount_address
    left join last_reads using (pipeline, entity)
)

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
    principal_token_chain_id,
    principal_amount,
    initial_principal_amount,
    interest_amount,
    total_repaid,
    apr,
    lender_apr,
    apr - lender_apr as apr_spread,
    late_apr,
    deployed_at,
    date_diff('day', deployed_at::date, now_at::date) as days_since_deployed,
    matures_at,
    date_diff('day', now_at::date, matures_at::date) as days_to_maturity,
    next_payment_amount,
    next_payment_due_at,
    date_diff('day', now_at::date, next_payment_due_at::date) as days_to_next_payment,
    listed_in,
    since_at,
    read_at
from joined
