with

vaults as (
    select
        chain_id,
        vault_address,
        vault_name,
        valid_from,
        count(distinct vault_address) over (partition by lower(trim(vault_name))) as addresses
    from core.vaults
    where is_current
)

select
    chain_id,
    vault_address,
    vault_name,
    addresses,
    valid_from
from vaults
-- A vault on several chains has one name.
where vault_name is null or trim(vault_name) = '' or addresses > 1
