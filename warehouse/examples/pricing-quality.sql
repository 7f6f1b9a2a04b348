-- How much of each vault is priced by primary sources, and how much by the secondary market or on trust?
-- For an allocator's due diligence.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- The newest daily classification of each vault. usd_value is in USD; share is a fraction of what is classified.
-- Classes are those of the service: Primary, Secondary Market, CeFi; `unknown` where it names none. Net of debt a
-- value may be below zero: shares are null then, as they are where a position of the vault has no value.
with

classified as (
    select
        chain_id,
        vault_address,
        date,
        pricing_class,
        usd_value
    from core.oracle_classification
),

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from core.vaults
    where
        is_current
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
),

newest as (
    select
        chain_id,
        vault_address,
        date,
        coalesce(pricing_class, 'unknown') as pricing_class,
        usd_value
    from classified
    qualify date = max(date) over (partition by chain_id, vault_address)
),

classes as (
    select
        vaults.chain_id,
        vaults.vault_name,
        vaults.vault_address,
        newest.date,
        newest.pricing_class,
        count(*) as positions,
        count(newest.usd_value) as with_value,
        sum(newest.usd_value) as usd_value,
        min(newest.usd_value) as smallest
    from newest
    inner join vaults
        on
            newest.vault_address = vaults.vault_address
            and newest.chain_id is not distinct from vaults.chain_id
    group by
        vaults.chain_id,
        vaults.vault_name,
        vaults.vault_address,
        newest.date,
        newest.pricing_class
)

select
    vault_name,
    vault_address,
    date as day,
    pricing_class,
    positions,
    usd_value,
    case
        when min(smallest) over vault >= 0 and sum(with_value) over vault = sum(positions) over vault
            then usd_value / nullif(sum(usd_value) over vault, 0)
    end as share
from classes
window vault as (partition by chain_id, vault_address)
order by vault_name, vault_address, chain_id, usd_value desc nulls last, pricing_class
