with

directory as (
    select subaccount_address, coalesce(friendly_name, internal_name) as name
    from core.subaccounts
    where is_current
),

summaries as (select * from core.subaccount_summaries where is_current),

-- A link has no chain, so a vault on any chain counts.
listed_vaults as (
    select vault_address
    from core.vaults
    where is_current
),

-- Past members too: one that has left differs from one that was never in a list.
listed as (
    select subaccount_address, is_current
    from core.subaccounts
    union all
    select subaccount_address, is_current
    from core.my_subaccounts
    union all
    -- A link outlives its vault.
    select subaccount_address, is_current and vault_address in (select vault_address from listed_vaults) as is_current
    from core.vault_subaccounts
),

linked as (
    select
        subaccount_address,
        count(*) as linked_vaults,
        string_agg(coalesce(vault_name, vault_address), ', ' order by vault_name, vault_address)
            as vault_names
    from mart.vault_subaccount_links as links
    group by subaccount_address
),

listings as (
    select subaccount_address, bool_or(is_current) as is_listed
    from listed
    group by subaccount_address
),

known as (
    select subaccount_address from listings
    union
    select subaccount_address from summaries
    union
    select subaccount_address from linked
)

select
    known.subaccount_address,
    coalesce(directory.name, summaries.name) as name,
    coalesce(linked.linked_vaults, 0) as linked_vaults,
    linked.vault_names,
    listings.is_listed
from known
left join listings using (subaccount_address)
left join directory using (subaccount_address)
left join summaries using (subaccount_address)
left join linked using (subaccount_address)
