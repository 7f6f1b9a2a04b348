select vault_address, chain_id, vault_name, is_listed
from mart.vault_names as vaults
-- All columns are of one vault, even if it has no name and the vault on another chain has one.
qualify
    row_number() over (
        partition by vault_address
        order by is_listed desc, is_closed, listed_from_at, chain_id
    ) = 1
