with

-- Facts of an address on all its chains have no chain_id.
newest_facts as (
    select vault_address, null::bigint as chain_id, max(last_at) as newest_at
    from mart.ratio_days
    group by vault_address
    union all
    select vault_address, null::bigint as chain_id, max(last_at) as newest_at
    from mart.pnl_days
    group by vault_address
    union all
    select vault_address, null::bigint as chain_id, max(date)::timestamp as newest_at
    from core.apy_history
    group by vault_address
    union all
    select vault_address, chain_id, max(date)::timestamp as newest_at
    from core.allocation_history
    group by vault_address, chain_id
    union all
    select vault_address, chain_id, max(snapshot_at) as newest_at
    from mart.position_days
    group by vault_address, chain_id
),

vault_facts as (
    select
        vaults.chain_id,
        vaults.vault_address,
        vaults.vault_name,
        vaults.status,
        max(newest_facts.newest_at) as newest_at
    from core.vaults as vaults
    left join newest_facts
        on
            vaults.vault_address = newest_facts.vault_address
            and vaults.chain_id = coalesce(newest_facts.chain_id, vaults.chain_id)
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
