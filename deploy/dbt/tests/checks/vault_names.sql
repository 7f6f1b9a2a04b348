-- Written by `make docs` from warehouse/checks/vault_names.sql: Every listed vault has a name (§2.10), and no two addresses have the same.
{{ config(severity='warn', meta={'check': 'vault_names'}) }}

with

vaults as (
    select
        chain_id,
        vault_address,
        vault_name,
        valid_from,
        count(distinct vault_address) over (partition by lower(trim(vault_name))) as addresses
    from {{ source('core', 'vaults') }}
    where is_current
)

select
    chain_id,
    vault_address,
    vault_name,
    addresses,
    valid_from
from vaults
where vault_name is null or trim(vault_name) = '' or addresses > 1
