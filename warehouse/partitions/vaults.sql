-- Every vault ever listed, as it was last described, so that vaults are still read when the service's lists fail. Of
-- those of one address, the first is the one that mart.vault_addresses has.
with

newest as (
    select
        *,
        min(valid_from) over (partition by chain_id, vault_address) as listed_from_at
    from core.vaults
    qualify row_number() over (partition by chain_id, vault_address order by valid_from desc) = 1
)

select
    chain_id,
    vault_address,
    vault_address_wire as wire_address,
    chain_type,
    is_current as is_listed,
    epoch_us(started_at)::double as started_at
from newest
order by
    min(chain_id) over (partition by vault_address),
    vault_address,
    is_current desc,
    lower(status) is not distinct from 'closed',
    listed_from_at,
    chain_id
