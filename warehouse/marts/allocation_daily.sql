with

allocations as (
    select chain_id, vault_address, date as day, protocol, value, share
    from core.allocation_history
),

weighted as (
    select
        allocations.chain_id,
        allocations.vault_address,
        allocations.day,
        allocations.protocol,
        names.protocol as protocol_name,
        allocations.value,
        allocations.share,
        case days.weighed_by when 'value' then allocations.value when 'share' then allocations.share end
        / days.weighed_total as weight,
        days.allocated_value,
        days.protocols,
        days.concentration_hhi,
        days.top_share
    from allocations
    inner join mart.allocation_days as days using (chain_id, vault_address, day)
    left join mart.protocol_names as names on allocations.protocol = names.spelling
),

protocol_days as (
    select
        chain_id,
        vault_address,
        day,
        protocol,
        protocol_name,
        value,
        share,
        weight,
        allocated_value,
        protocols,
        concentration_hhi,
        top_share,
        lag(day) over history = day - 1 as has_day_before,
        lag(value) over history as value_before,
        lag(weight) over history as weight_before
    from weighted
    window history as (partition by chain_id, vault_address, protocol order by day)
)

select
    chain_id,
    vault_address,
    day,
    protocol,
    protocol_name,
    value,
    share,
    weight,
    case when has_day_before then value - value_before end as value_change,
    case when has_day_before then weight - weight_before end as weight_change,
    allocated_value,
    protocols,
    concentration_hhi,
    top_share
from protocol_days
