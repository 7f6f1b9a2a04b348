with

tokens as (
    select
        subaccount_address,
        'token' as part,
        ordinal,
        symbol as name,
        symbol,
        token_address,
        chain_id,
        null::varchar as protocol,
        balance,
        value as value_usd,
        null::double as debt_usd,
        valid_from
    from core.subaccount_tokens
    where is_current and list = 'summary'
),

positions as (
    select
        subaccount_address,
        kind as part,
        ordinal,
        coalesce(name, symbol, underlying) as name,
        symbol,
        token_address,
        chain_id,
        protocol,
        balance,
        -- Assets less debt where the service sends that.
        coalesce(net_usd_value, value) as value_usd,
        debt_usd_value as debt_usd,
        valid_from
    from core.subaccount_portfolio_positions
    where is_current
),

holdings as (
    select * from tokens
    union all by name
    select * from positions
),

last_reads as (select * from mart.last_read where pipeline = 'subaccount_summaries')

select
    holdings.subaccount_address,
    holdings.part,
    holdings.ordinal,
    subaccounts.name as subaccount_name,
    subaccounts.vault_names,
    holdings.name,
    holdings.symbol,
    holdings.token_address,
    holdings.chain_id,
    protocols.protocol,
    holdings.balance,
    holdings.value_usd,
    holdings.debt_usd,
    case
        when count(holdings.value_usd) over part = count(*) over part
            then holdings.value_usd / nullif(sum(holdings.value_usd) over part, 0)
    end as share_of_part,
    coalesce(last_reads.responded_at, holdings.valid_from) as read_at
from holdings
left join mart.subaccount_names as subaccounts using (subaccount_address)
left join mart.protocol_names as protocols on holdings.protocol = protocols.spelling
left join last_reads on holdings.subaccount_address = last_reads.entity
window part as (
    partition by holdings.subaccount_address, holdings.part
    order by holdings.ordinal
    rows between unbounded preceding and unbounded following
)
