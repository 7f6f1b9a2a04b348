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

known as (
    select subaccount_address from directory
    union
    select subaccount_address from summaries
    union
    select subaccount_address from linked
)

select
    known.subaccount_address::varchar as subaccount_address,
    coalesce(directory.name, summaries.name)::varchar as name,
    coalesce(linked.linked_vaults, 0)::integer as linked_vaults,
    linked.vault_names::varchar as vault_names
from known
left join directory
    on known.subaccount_address = directory.subaccount_address
left join summaries
    on known.subaccount_address = summaries.subaccount_address
left join linked
    on known.subaccount_address = linked.subaccount_address
