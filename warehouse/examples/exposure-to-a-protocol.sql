-- A protocol is in trouble: which vaults are in it, and with how much?
-- For a risk officer on the phone.
--
--     protocol: name as in mart.protocol_names, whatever its case; every protocol unless it is set
--
-- The newest allocation of each vault, of the day allocation_on. Vaults that have ended are left out, as in
-- mart.protocol_exposure. value is in USD where the service says so; weight is a fraction of the vault,
-- share_of_protocol a fraction of all vaults' value in the protocol. Null where the day has shares and no values.
-- Vaults on chains other than EVM have no allocations. Spellings and versions of one protocol count as one; as_sent is
-- the name in the allocation.
with

exposures as (
    select
        allocations.protocol_name as protocol,
        allocations.protocol as as_sent,
        vaults.vault_name,
        vaults.vault_address,
        vaults.status,
        allocations.value,
        allocations.weight,
        vaults.allocation_on,
        vaults.allocation_age_days
    from mart.vault_latest as vaults
    inner join mart.allocation_daily as allocations
        on
            vaults.chain_id = allocations.chain_id
            and vaults.vault_address = allocations.vault_address
            and vaults.allocation_on = allocations.day
    where
        not vaults.is_ended
        and (
            getvariable('protocol')::varchar is null
            or lower(getvariable('protocol')::varchar)
            in (lower(allocations.protocol_name), lower(allocations.protocol))
        )
)

select
    protocol,
    as_sent,
    vault_name,
    vault_address,
    status,
    value,
    weight,
    value / nullif(sum(value) over (partition by protocol), 0) as share_of_protocol,
    sum(value) over (partition by protocol) as protocol_value,
    allocation_on,
    allocation_age_days
from exposures
order by protocol_value desc nulls last, protocol, value desc nulls last, vault_name, vault_address, as_sent
