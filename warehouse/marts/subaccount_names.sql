with

directory as (
    select
        subaccount_address,
        coalesce(friendly_name, internal_name) as name
    from core.subaccounts
    where is_current
),

summaries as (
    select
        subaccount_address,
        name
    from core.subaccount_summaries
    where is_current
),

-- Past members too, to tell what has left from what was in no list.
listed as (
    select
        subaccount_address,
        is_current
    from core.subaccounts
    union all
    select
        subaccount_address,
        is_current
    from core.my_subaccounts
    union all
    select
        subaccount_address,
        is_current
    from core.vault_subaccounts
),

links as (
    select
        subaccount_address,
        vault_address,
        vault_name
    from mart.vault_subaccount_links
),

linked as (
    select
        subaccount_address,
        count(*) as linked_vaults,
        string_agg(coalesce(vault_name, vault_address), ', ' order by vault_name, vault_address)
            as vault_names
    from links
    group by subaccount_address
),

listings as (
    select
        subaccount_address,
        bool_or(is_current) as is_listed
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
    known.subaccount_address::varchar as subaccount_address,
    coalesce(directory.name, summaries.name)::varchar as name,
    coalesce(linked.linked_vaults, 0)::integer as linked_vaults,
    linked.vault_names::varchar as vault_names,
    listings.is_listed::boolean as is_listed
from known
left join listings
    on known.subaccount_address = listings.subaccount_address
left join directory
    on known.subaccount_address = directory.subaccount_address
left join summaries
    on known.subaccount_address = summaries.subaccount_address
left join linked
    on known.subaccount_address = linked.subaccount_address
