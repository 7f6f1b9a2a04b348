with

vaults as (select * from core.vaults where is_current)

select vault_address, chain_id, vault_name
from vaults
-- A row's own name, none included: the lowest chain's vault is one vault, not the best of each column.
qualify row_number() over (partition by vault_address order by chain_id) = 1
