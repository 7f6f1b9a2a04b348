with

today as (select now_at::date as today from mart.clock),

-- Facts of an address on all its chains have no chain_id. One from the future does not show how far the facts reach.
newest_facts as (
    select vault_address, null::bigint as chain_id, max(last_at) as newest_at
    from mart.ratio_days
    inner join today on day <= today
    group by vault_address
    union all
    select vault_address, null::bigint as chain_id, max(last_at) as newest_at
    from mart.pnl_days
    inner join today on day <= today
    group by vault_address
    union all
    select vault_address, null::bigint as chain_id, max(date)::timestamp as newest_at
    from core.apy_history
    inner join today on date <= today
    group by vault_address
    union all
    select vault_address, chain_id, max(date)::timestamp as newest_at
    from core.allocation_history
    inner join today on date <= today
    group by vault_address, chain_id
    union all
    select vault_address, chain_id, max(snapshot_at) as newest_at
    from mart.position_days
    inner join today on day <= today
    group by vault_address, chain_id
),

-- What is only known by address belongs to the vaults that are not closed, where there is one: that of another chain may
-- go on while this one is closed.
open_addresses as (
    select distinct vault_address
    from core.vaults
    where is_current and lower(status) is distinct from 'closed'
),

vault_facts as (
    select
        vaults.chain_id,
        vaults.vault_address,
        vaults.vault_name,
        vaults.status,
        max(newest_facts.newest_at) as newest_at
    from core.vaults as vaults
    left join open_addresses using (vault_address)
    left join newest_facts
        on
            vaults.vault_address = newest_facts.vault_address
            and case
                when newest_facts.chain_id is not null then vaults.chain_id = newest_facts.chain_id
                else lower(vaults.status) is distinct from 'closed' or open_addresses.vault_address is null
            end
    where vaults.is_current
    group by vaults.chain_id, vaults.vault_address, vaults.vault_name, vaults.status
)

select
    *,
    -- Compared with the newest fact of any vault, so that no vault ends only because nothing was synced for weeks.
    coalesce(
        lower(status) = 'closed'
        and coalesce(newest_at < max(newest_at) over () - interval 7 day, true),
        false
    ) as is_ended
from vault_facts
