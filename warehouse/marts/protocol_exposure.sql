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
        vault_name
    from core.vaults
    where is_current
),

clock as (
    -- UTC whatever the session's time zone, and without the icu extension.
    select make_timestamp(epoch_us(now()))::date as today
),

newest_days as (
    select
        chain_id,
        vault_address,
        max(day) as day
    from allocations
    group by chain_id, vault_address
),

newest as (
    select
        allocations.*,
        vaults.vault_name
    from allocations
    inner join newest_days
        on
            allocations.chain_id = newest_days.chain_id
            and allocations.vault_address = newest_days.vault_address
            and allocations.day = newest_days.day
    left join vaults
        on
            allocations.chain_id = vaults.chain_id
            and allocations.vault_address = vaults.vault_address
),

protocols as (
    select
        protocol,
        count(*) as vaults,
        sum(value) as value,
        count(*) filter (value is null) as vaults_without_value,
        max(weight) as highest_weight,
        first(
            coalesce(vault_name, vault_address)
            order by weight desc nulls last, vault_name, vault_address
        ) filter (weight is not null) as most_exposed_vault,
        min(day) as oldest_on
    from newest
    group by protocol
),

joined as (
    select
        protocols.*,
        value / nullif(sum(value) over (), 0) as share,
        date_diff('day', oldest_on, clock.today) as age_days
    from protocols
    cross join clock
)

select
    protocol::varchar as protocol,
    vaults::integer as vaults,
    value::double as value,
    share::double as share,
    vaults_without_value::integer as vaults_without_value,
    highest_weight::double as highest_weight,
    most_exposed_vault::varchar as most_exposed_vault,
    oldest_on::date as oldest_on,
    age_days::integer as age_days
from joined
