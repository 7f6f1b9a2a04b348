-- Every subaccount the key shows, with the vaults it is linked to. A link outlives its vault, whose links are no longer
-- read: `listed_vaults` leaves out vaults that have ended.
with

listed as (
    select
        subaccount_address,
        subaccount_address_wire,
        null as vault_address,
        'core.subaccounts' as listed_in
    from core.subaccounts
    where is_current
    union all
    select
        subaccount_address,
        subaccount_address_wire,
        null as vault_address,
        'core.my_subaccounts' as listed_in
    from core.my_subaccounts
    where is_current
    union all
    select
        subaccount_address,
        subaccount_address_wire,
        vault_address,
        'core.vault_subaccounts' as listed_in
    from core.vault_subaccounts
    where is_current
),

current_vaults as (
    select distinct vault_address
    from core.vaults
    where is_current
)

select
    listed.subaccount_address,
    first(listed.subaccount_address_wire order by listed.listed_in, listed.subaccount_address_wire) as wire_address,
    min(listed.listed_in) as listed_in,
    to_json(list(distinct listed.vault_address) filter (listed.vault_address is not null))::varchar as vaults,
    bool_or(listed.vault_address is null or current_vaults.vault_address is not null) as is_listed
from listed
left join current_vaults
    on listed.vault_address = current_vaults.vault_address
group by listed.subaccount_address
order by listed.subaccount_address
