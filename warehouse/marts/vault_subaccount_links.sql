with

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from core.vaults
    where is_current
),

curator_links as (
    select
        chain_id,
        vault_address,
        subaccount_address,
        valid_from
    from core.vault_subaccounts
    where is_current
),

listed_links as (
    select
        chain_id,
        vault_address,
        subaccount_address,
        valid_from
    from core.vault_strategies
    where is_current and subaccount_address is not null
),

position_links as (
    select
        chain_id,
        vault_address,
        subaccount_address,
        snapshot_at
    from core.position_subaccounts
    -- A place in the list stands for a subaccount whose address was not served.
    where subaccount_address not like '#%'
),

newest_snapshots as (
    select
        chain_id,
        vault_address,
        max(snapshot_at) as snapshot_at
    from core.position_snapshots
    group by chain_id, vault_address
),

links as (
    select
        chain_id,
        vault_address,
        subaccount_address,
        'curator' as told_by,
        valid_from as since_at
    from curator_links
    union all
    select
        chain_id,
        vault_address,
        subaccount_address,
        'vault' as told_by,
        valid_from as since_at
    from listed_links
    union all
    select
        position_links.chain_id,
        position_links.vault_address,
        position_links.subaccount_address,
        'positions' as told_by,
        newest_snapshots.snapshot_at as since_at
    from position_links
    inner join newest_snapshots
        on
            position_links.chain_id = newest_snapshots.chain_id
            and position_links.vault_address = newest_snapshots.vault_address
            and position_links.snapshot_at = newest_snapshots.snapshot_at
),

-- A link that tells no chain belongs to the vault of that address.
linked as (
    select
        vaults.chain_id,
        vaults.vault_address,
        links.subaccount_address,
        max(vaults.vault_name) as vault_name,
        count(*) filter (links.told_by = 'curator') > 0 as is_told_by_curator,
        count(*) filter (links.told_by = 'vault') > 0 as is_told_by_vault,
        count(*) filter (links.told_by = 'positions') > 0 as is_in_positions,
        min(links.since_at) as seen_at
    from links
    inner join vaults
        on
            links.vault_address = vaults.vault_address
            and (links.chain_id is null or links.chain_id = vaults.chain_id)
    group by vaults.chain_id, vaults.vault_address, links.subaccount_address
)

select
    chain_id::bigint as chain_id,
    vault_address::varchar as vault_address,
    subaccount_address::varchar as subaccount_address,
    vault_name::varchar as vault_name,
    is_told_by_curator::boolean as is_told_by_curator,
    is_told_by_vault::boolean as is_told_by_vault,
    is_in_positions::boolean as is_in_positions,
    seen_at::timestamp as seen_at
from linked
