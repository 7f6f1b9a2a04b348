-- The newest version of each vault, of one that no list has any more too.
select
    chain_id,
    vault_address,
    vault_name,
    status,
    -- The document does not say how the status is spelt; one that is not known is not closed.
    coalesce(lower(status) = 'closed', false) as is_closed,
    is_current as is_listed,
    min(valid_from) over (partition by chain_id, vault_address) as listed_from_at
from core.vaults as versions
qualify row_number() over (partition by chain_id, vault_address order by valid_from desc) = 1
