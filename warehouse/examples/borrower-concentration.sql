-- Do a few borrowers owe most of the loan book?
-- For a risk officer who sets counterparty limits.
--
--     token: symbol of the token lent; every token, each by itself, unless it is set
--
-- Only active loans. Principal is in the unit sent, for each token separately; chain_id is the token's. share is the
-- borrower's fraction of the token's book; running_share adds the shares up, the largest first. Where a loan has no
-- principal, its borrower's is null, and so are the shares of its token; amounts of tokens that are not known do not
-- add up.
with

loans as (
    select
        principal_token_chain_id as chain_id,
        principal_token_symbol,
        -- Tokens of one symbol are not one token.
        coalesce(principal_token_address, principal_token_symbol) as token_id,
        borrower_address,
        borrower_name,
        case when token_id is not null then principal_amount end as principal_amount,
        apr
    from mart.loan_book
    where
        is_active
        and (getvariable('token')::varchar is null or principal_token_symbol = getvariable('token')::varchar)
),

borrowers as (
    select
        chain_id,
        token_id,
        max(principal_token_symbol) as token,
        borrower_address,
        max(borrower_name) as borrower_name,
        count(*) as loans,
        case when count(principal_amount) = count(*) then sum(principal_amount) end as principal,
        sum(apr * principal_amount) / nullif(sum(principal_amount) filter (apr is not null), 0)
            as mean_apr
    from loans
    group by chain_id, token_id, borrower_address
),

shared as (
    select
        chain_id,
        token_id,
        token,
        borrower_address,
        borrower_name,
        loans,
        principal,
        mean_apr,
        case
            when count(principal) over book = count(*) over book
                then principal / nullif(sum(principal) over book, 0)
        end as share
    from borrowers
    window book as (partition by chain_id, token_id)
)

select
    chain_id,
    token,
    borrower_address,
    borrower_name,
    loans,
    principal,
    share,
    sum(share) over (
        partition by chain_id, token_id
        order by principal desc nulls last, borrower_address
        rows between unbounded preceding and current row
    ) as running_share,
    mean_apr
from shared
order by chain_id, token, token_id, principal desc nulls last, borrower_address
