-- Which subaccounts hold a vault's funds without being on its whitelist?
-- For a risk officer: this list should be empty.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- is_whitelisted = false was read from the chain (at checked_at); a subaccount that was not checked has no
-- row here, see core.whitelist_status. held_usd is from the vault's newest position snapshot, else the subaccount's
-- own net value, which may belong to other vaults too: source says which. Only subaccounts that hold something.
with

statuses as (
    select
        chain_id,
        vault_address,
        subaccount_address,
        is_whitelisted,
        valid_from
    from core.whitelist_status
    where is_current
),

summaries as (
    select
        subaccount_address,
        name,
        net_account_value_usd
    from mart.subaccount_health
),

-- One that is in the list several times, such as once for each chain, has `#2` and so on after its address.
position_subaccounts as (
    select
        chain_id,
        vault_address,
        snapshot_at,
        regexp_replace(subaccount_address, '#\d+\z', '') as subaccount_address,
        total_usd
    from core.position_subaccounts
),

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from core.vaults
    where
        is_current
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
),

-- A snapshot whose list of subaccounts is empty has no row in core.position_subaccounts.
newest_snapshots as (
    select
        chain_id,
        vault_address,
        max(snapshot_at) as snapshot_at
    from mart.position_days
    inner join mart.clock on day <= clock.now_at::date
    group by chain_id, vault_address
),

newest_positions as (
    select
        chain_id,
        vault_address,
        subaccount_address,
        snapshot_at,
        case when count(total_usd) = count(*) then sum(total_usd order by total_usd) end as total_usd
    from position_subaccounts
    inner join newest_snapshots using (chain_id, vault_address, snapshot_at)
    group by chain_id, vault_address, subaccount_address, snapshot_at
),

holdings as (
    select
        vaults.vault_name,
        vaults.vault_address,
        statuses.subaccount_address,
        summaries.name,
        coalesce(newest_positions.total_usd, summaries.net_account_value_usd) as held_usd,
        case
            when newest_positions.total_usd is not null then 'vault positions'
            when summaries.net_account_value_usd is not null then 'subaccount summary'
        end as source,
        newest_positions.snapshot_at,
        statuses.valid_from as checked_at
    from statuses
    inner join vaults
        on
            statuses.vault_address = vaults.vault_address
            and (statuses.chain_id is null or statuses.chain_id = vaults.chain_id)
    left join newest_positions
        on
            vaults.chain_id = newest_positions.chain_id
            and vaults.vault_address = newest_positions.vault_address
            and statuses.subaccount_address = newest_positions.subaccount_address
    left join summaries
        on statuses.subaccount_address = summaries.subaccount_address
    where not statuses.is_whitelisted
)

select
    vault_name,
    vault_address,
    subaccount_address,
    name,
    held_usd,
    source,
    snapshot_at,
    checked_at
from holdings
where held_usd > 0
order by held_usd desc, vault_name, vault_address, subaccount_address
