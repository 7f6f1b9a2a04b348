-- How concentrated is each vault, and is it getting more so?
-- For a risk officer, monthly.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- One row for each vault and month. hhi is the sum of the squared weights: 1 is everything in one protocol, 1/n is
-- n equal parts. top_share is a fraction. Null where a position is negative or the total is not above zero, since
-- there are then no weights. The present month ends with its newest day.
with

allocations as (
    select
        chain_id,
        vault_address,
        day,
        protocol,
        weight,
        protocols,
        concentration_hhi,
        top_share
    from mart.allocation_daily
),

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from mart.vault_latest
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
),

-- The day's figures are repeated on each of its rows: one row a day is enough.
days as (
    select
        chain_id,
        vault_address,
        day,
        max(protocols) as protocols,
        max(concentration_hhi) as hhi,
        max(top_share) as top_share,
        arg_max(protocol, weight order by protocol) as top_protocol
    from allocations
    group by chain_id, vault_address, day
),

months as (
    select
        chain_id,
        vault_address,
        date_trunc('month', day)::date as month,
        count(*) as days,
        max(day) as to_on,
        arg_max(protocols, day) as protocols,
        first(hhi order by day) as hhi_first,
        last(hhi order by day) as hhi_last,
        max(hhi) as hhi_high,
        last(top_share order by day) as top_share,
        last(top_protocol order by day) as top_protocol
    from days
    group by chain_id, vault_address, date_trunc('month', day)::date
)

select
    vaults.vault_name,
    vaults.vault_address,
    months.month,
    months.days,
    months.to_on,
    months.protocols,
    months.hhi_last as hhi,
    months.hhi_last - months.hhi_first as hhi_change,
    months.hhi_high,
    months.top_protocol,
    months.top_share
from vaults
inner join months
    on vaults.chain_id = months.chain_id and vaults.vault_address = months.vault_address
order by vaults.vault_name, vaults.vault_address, vaults.chain_id, months.month
