with

vaults as (select * from core.vaults where is_current)

select vault_address, chain_id, vault_name
from vaults
-- All columns are of one vault, that on the lowest chain, even if it has no name and the vault on another chain has one.
qualify row_number() over (partition by vault_address order by chain_id) = 1
