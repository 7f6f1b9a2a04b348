-- What do the subaccounts of a vault hold, by part, protocol and token?
-- For a risk officer who looks through a vault to what it owns.
--
--     owner: name of a vault, or a part of it; every subaccount unless it is set
--
-- By the newest summary of each subaccount. Add up within one part only: the document does not say which parts
-- overlap. lines_without_value counts what is in no sum. A subaccount that works for several vaults is in the lines of
-- each of them.
with

holdings as (
    select
        subaccount_address,
        part,
        protocol,
        symbol,
        value_usd,
        read_at
    from mart.subaccount_holdings
    where
        getvariable('owner')::varchar is null
        or contains(lower(vault_names), lower(getvariable('owner')::varchar))
)

select
    part,
    protocol,
    symbol,
    count(distinct subaccount_address) as subaccounts,
    sum(value_usd order by value_usd) as value_usd,
    count(*) - count(value_usd) as lines_without_value,
    min(read_at) as oldest_read_at
from holdings
group by part, protocol, symbol
order by part, value_usd desc nulls last, protocol, symbol
