with

vault_days as (
    select chain_id, vault_address, max(day) as day
    from mart.allocation_days
    inner join mart.clock on true
    where day <= clock.now_at::date
    group by chain_id, vault_address
),

-- Compared with the newest day of any vault, so that the mart is not empty only because nothing was synced for weeks.
newest_days as (
    select *
    from vault_days
    where day > (select max(day) from vault_days) - 7
),

newest as (
    select
        allocations.*,
        names.protocol as protocol_name,
        vaults.vault_name
    from mart.allocation_daily as allocations
    semi join newest_days using (chain_id, vault_address, day)
    inner join mart.vault_lifecycle as vaults using (chain_id, vault_address)
    inner join mart.protocol_names as names on allocations.protocol = names.spelling
    where not vaults.is_ended
),

-- A vault may hold one protocol under two names.
vault_protocols as (
    select
        chain_id,
        vault_address,
        protocol_name,
        any_value(vault_name) as vault_name,
        any_value(day) as day,
        case when count(value) = count(*) then sum(value order by value) end as value,
        sum(weight order by weight) as weight
    from newest
    group by chain_id, vault_address, protocol_name
),

protocols as (
    select
        protocol_name as protocol,
        count(*) as vaults,
        sum(value order by value) as value,
        count(*) filter (value is null) as vaults_without_value,
        max(weight) as highest_weight,
        first(
            coalesce(vault_name, vault_address)
            order by weight desc nulls last, vault_name, vault_address
        ) filter (weight is not null) as most_exposed_vault,
        min(day) as oldest_on
    from vault_protocols
    group by protocol_name
)

select
    protocols.*,
    value / nullif((select sum(value order by value) from protocols), 0) as share,
    date_diff('day', oldest_on, clock.now_at::date) as age_days
from protocols
inner join mart.clock on true
