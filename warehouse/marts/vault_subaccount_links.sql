with

vaults as (select * from core.vaults where is_current),

curator_links as (select * from core.vault_subaccounts where is_current),

listed_links as (
    select *
    from core.vault_strategies
    where is_current and subaccount_address is not null
),

position_links as (
    select
        chain_id,
        vault_address,
        snapshot_at,
        -- One that is in the list several times, such as once for each chain, has `#2` and so on after its address.
        regexp_replace(subaccount_address, '#\d+\z', '') as subaccount_address
    from core.position_subaccounts
    -- A subaccount whose address was not sent is identified by its place in the list.
    where subaccount_address not like '#%'
),

newest_snapshots as (
    select chain_id, vault_address, max(snapshot_at) as snapshot_at
    from mart.position_days
    inner join mart.clock on day <= clock.now_at::date
    group by chain_id, vault_address
),

links as (
    select
        chain_id,
        vault_address,
        subaccount_address,
        'curator' as linked_by,
        valid_from as since_at
    from curator_links
    union all
    select
        chain_id,
        vault_address,
        subaccount_address,
        'vault' as linked_by,
        valid_from as since_at
    from listed_links
    union all
    select
        position_links.chain_id,
        position_links.vault_address,
        position_links.subaccount_address,
        'positions' as linked_by,
        newest_snapshots.snapshot_at as since_at
    from position_links
    inner join newest_snapshots using (chain_id, vault_address, snapshot_at)
)

-- A link without a chain belongs to the vault of that address.
select
    vaults.chain_id,
    vaults.vault_address,
    links.subaccount_address,
    max(vaults.vault_name) as vault_name,
    count(*) filter (links.linked_by = 'curator') > 0 as is_linked_by_curator,
    count(*) filter (links.linked_by = 'vault') > 0 as is_linked_by_vault,
    count(*) filter (links.linked_by = 'positions') > 0 as is_in_positions,
    min(links.since_at) as seen_at
from links
inner join vaults
    on
        links.vault_address = vaults.vault_address
        and (links.chain_id is null or links.chain_id = vaults.chain_id)
group by vaults.chain_id, vaults.vault_address, links.subaccount_address
