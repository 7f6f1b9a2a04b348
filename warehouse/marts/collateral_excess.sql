with

excess as (select * from core.collateral_excess where is_current),

tokens as (
    select
        chain_id,
        token_address,
        max(symbol) filter (is_current) as symbol,
        bool_or(is_current) as has_ladder
    from core.discount_factors
    group by chain_id, token_address
),

last_reads as (select * from mart.last_read where pipeline = 'collateral_excess'),

debts as (
    select subaccount_address, has_debt, as_of_at as debt_at
    from mart.subaccount_debt
    where has_debt is not null
    qualify row_number() over (
        partition by subaccount_address
        order by as_of_at desc, has_debt desc
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
        tokens.has_ladder,
        excess.amount_usd,
        excess.token_amount,
        debts.has_debt,
        debts.debt_at,
        coalesce(last_reads.responded_at, excess.valid_from) as read_at,
        excess.valid_from
    from excess
    left join tokens using (chain_id, token_address)
    left join mart.subaccount_names as subaccounts using (subaccount_address)
    left join debts using (subaccount_address)
    left join last_reads
        on
            excess.subaccount_address || ' ' || excess.chain_id || ':' || excess.token_address
            = last_reads.entity
)

select
    subaccount_address,
    chain_id,
    token_address,
    target_health_factor,
    name,
    vault_names,
    symbol,
    amount_usd,
    token_amount,
    has_debt,
    read_at,
    valid_from as since_at
from joined
-- A subaccount without debt, or in no list, is no longer requested: the newer figure says that nothing is lacking. Nor is a
-- token that has lost its ladder.
where
    not coalesce(not has_debt and debt_at > read_at, false)
    and is_listed is distinct from false
    and has_ladder is distinct from false
