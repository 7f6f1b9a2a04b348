with

newest_days as (
    select chain_id, vault_address, max(day) as day
    from mart.allocation_daily
    group by chain_id, vault_address
),

newest as (
    select allocations.*, vaults.vault_name
    from mart.allocation_daily as allocations
    semi join newest_days using (chain_id, vault_address, day)
    inner join mart.vault_lifecycle as vaults using (chain_id, vault_address)
    where not vaults.is_ended
),

protocols as (
    select
        protocol,
        count(*) as vaults,
        sum(value order by value) as value,
        count(*) filter (value is null) as vaults_without_value,
        max(weight) as highest_weight,
        first(
            coalesce(vault_name, vault_address)
            order by weight desc nulls last, vault_name, vault_address
        ) filter (weight is not null) as most_exposed_vault,
        min(day) as oldest_on
    from newest
    group by protocol
)

select
    protocols.*,
    value / nullif((select sum(value order by value) from protocols), 0) as share,
    date_diff('day', oldest_on, clock.now_at::date) as age_days
from protocols
inner join mart.clock on true
