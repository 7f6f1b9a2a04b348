with

loans as (
    select
        *,
        coalesce(principal_token_chain_id::varchar, '-')
        || ':'
        || coalesce(principal_token_address, principal_token_symbol, '-') as token_id
    from mart.loan_book
    where is_active is distinct from false and lender_address is not null
),

lent as (
    select
        lender_address,
        token_id,
        max(lender_name) as lender_name,
        max(lender_vault_names) as lender_vault_names,
        max(principal_token_chain_id) as chain_id,
        max(principal_token_symbol) as principal_token_symbol,
        max(principal_token_address) as principal_token_address,
        count(*) as loans,
        -- If one of them has no figure, there is no sum; amounts of tokens that are not known do not add up.
        case
            when
                count(principal_amount) = count(*)
                and max(coalesce(principal_token_address, principal_token_symbol)) is not null
                then sum(principal_amount order by principal_amount)
        end as lent_amount,
        case
            when count(principal_amount * lender_apr) = count(*)
                then sum(principal_amount * lender_apr order by principal_amount * lender_apr)
        end as apr_of_lent,
        min(read_at) as read_at
    from loans
    group by lender_address, token_id
),

-- A subaccount whose summary was read holds nothing of the tokens that the summary does not list.
summaries as (select subaccount_address from core.subaccount_summaries where is_current),

tokens as (select * from core.subaccount_tokens where is_current and list = 'summary'),

held as (
    select
        subaccount_address,
        chain_id,
        token_address,
        case when count(balance) = count(*) then sum(balance order by balance) end as balance
    from tokens
    where token_address is not null
    group by subaccount_address, chain_id, token_address
),

-- A token of which the summary has no chain or address that can be read may be the one lent, unless the rest says otherwise.
unclear as (
    select distinct lent.lender_address, lent.token_id
    from lent
    inner join tokens
        on
            lent.lender_address = tokens.subaccount_address
            and coalesce(lent.chain_id = tokens.chain_id, true)
            and coalesce(
                lent.principal_token_address = tokens.token_address,
                lower(lent.principal_token_symbol) = lower(tokens.symbol),
                true
            )
    where tokens.chain_id is null or tokens.token_address is null
),

measured as (
    select
        lent.*,
        case
            when unclear.lender_address is not null then null
            when held.subaccount_address is not null then held.balance
            when
                summaries.subaccount_address is not null
                and lent.principal_token_address is not null
                and lent.chain_id is not null
                then 0
        end as idle_amount
    from lent
    left join unclear using (lender_address, token_id)
    left join summaries on lent.lender_address = summaries.subaccount_address
    left join held
        on
            lent.lender_address = held.subaccount_address
            and lent.chain_id = held.chain_id
            and lent.principal_token_address = held.token_address
)

select
    lender_address,
    token_id,
    lender_name,
    lender_vault_names,
    chain_id,
    principal_token_symbol,
    principal_token_address,
    loans,
    lent_amount,
    idle_amount,
    lent_amount / nullif(lent_amount + idle_amount, 0) as utilisation,
    apr_of_lent / nullif(lent_amount, 0) as lender_apr,
    apr_of_lent / nullif(lent_amount + idle_amount, 0) as apr_on_all,
    read_at
from measured
