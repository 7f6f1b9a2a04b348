-- A protocol is in trouble: which vaults are in it, and with how much?
-- Asked by a risk officer on the phone.
--
--     $protocol = null  name as in mart.allocation_daily, whatever its case; null is every protocol
--
-- Each vault's newest allocation, so mind allocation_on: a vault that was wound up still shows its last day.
-- value is in USD where the service says so; weight is a fraction of the vault, share_of_protocol of all
-- vaults' value in it. Null where the day has shares and no values. Chains other than EVM have no
-- allocations: they are not at zero.
with

allocations as (
    select
        chain_id,
        vault_address,
        day,
        protocol,
        value,
        weight
    from mart.allocation_daily
),

vaults as (
    select
        chain_id,
        vault_address,
        vault_name,
        status,
        allocation_on,
        allocation_age_days
    from mart.vault_latest
),

exposures as (
    select
        allocations.protocol,
        vaults.vault_name,
        vaults.vault_address,
        vaults.status,
        allocations.value,
        allocations.weight,
        vaults.allocation_on,
        vaults.allocation_age_days
    from vaults
    inner join allocations
        on
            vaults.chain_id = allocations.chain_id
            and vaults.vault_address = allocations.vault_address
            and vaults.allocation_on = allocations.day
    where $protocol::varchar is null or lower(allocations.protocol) = lower($protocol::varchar)
)

select
    protocol,
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
order by protocol_value desc nulls last, protocol, value desc nulls last, vault_name
