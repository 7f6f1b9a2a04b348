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

-- What is only known by address belongs to the vault that the address stands for: that of another chain may go on while this
-- one is closed.
vault_facts as (
    select
        vaults.chain_id,
        vaults.vault_address,
        vaults.vault_name,
        vaults.status,
        vaults.is_closed,
        max(newest_facts.newest_at) as newest_at
    from mart.vault_names as vaults
    left join mart.vault_addresses as addresses using (chain_id, vault_address)
    left join newest_facts
        on
            vaults.vault_address = newest_facts.vault_address
            and coalesce(newest_facts.chain_id, addresses.chain_id) = vaults.chain_id
    where vaults.is_listed
    group by all
)

select
    chain_id,
    vault_address,
    vault_name,
    status,
    newest_at,
    -- Compared with the newest fact of any vault, so that no vault ends only because nothing was synced for weeks.
    is_closed and coalesce(newest_at < (select max(newest_at) from vault_facts) - interval 7 day, true) as is_ended
from vault_facts
