with

excess as (
    select
        subaccount_address,
        chain_id,
        token_address,
        target_health_factor,
        amount_usd,
        token_amount,
        valid_from
    from core.collateral_excess
    where is_current
),

tokens as (
    select
        chain_id,
        token_address,
        max(symbol) as symbol
    from core.discount_factors
    where is_current
    group by chain_id, token_address
),

asked as (
    select
        entity,
        answered_at
    from mart.last_asked
    where pipeline = 'collateral_excess'
),

subaccounts as (
    select
        subaccount_address,
        name,
        vault_names,
        is_listed
    from mart.subaccount_names
),

-- Debt as the summary and as the health factor tell it.
told as (
    select
        subaccount_address,
        greatest(total_debt, total_loan_value) > 0 as has_debt,
        valid_from as told_at
    from core.subaccount_summaries
    where is_current
    union all
    select
        subaccount_address,
        has_debt,
        as_of_at as told_at
    from mart.subaccount_health
),

debts as (
    select
        subaccount_address,
        has_debt,
        told_at
    from told
    where has_debt is not null
    qualify
        row_number() over (
            partition by subaccount_address
            order by told_at desc, has_debt desc
        ) = 1
),

joined as (
    select
        excess.subaccount_address,
        excess.chain_id,
        excess.token_address,
        excess.target_health_factor,
        subaccounts.name,
        subaccounts.vault_names,
        subaccounts.is_listed,
        tokens.symbol,
        excess.amount_usd,
        excess.token_amount,
        debts.has_debt,
        debts.told_at,
        coalesce(asked.answered_at, excess.valid_from) as read_at,
        excess.valid_from
    from excess
    left join tokens
        on
            excess.chain_id = tokens.chain_id
            and excess.token_address = tokens.token_address
    left join subaccounts
        on excess.subaccount_address = subaccounts.subaccount_address
    left join debts
        on excess.subaccount_address = debts.subaccount_address
    left join asked
        on
            excess.subaccount_address || ' ' || excess.chain_id || ':' || excess.token_address
            = asked.entity
)

select
    subaccount_address::varchar as subaccount_address,
    chain_id::bigint as chain_id,
    token_address::varchar as token_address,
    target_health_factor::double as target_health_factor,
    name::varchar as name,
    vault_names::varchar as vault_names,
    symbol::varchar as symbol,
    amount_usd::double as amount_usd,
    token_amount::double as token_amount,
    has_debt::boolean as has_debt,
    read_at::timestamp as read_at,
    valid_from::timestamp as since_at
from joined
-- Without debt nobody asks any more, nor where no list has the subaccount: the newer word is that there is
-- nothing to be short of.
where
    not coalesce(not has_debt and told_at > read_at, false)
    and is_listed is distinct from false
