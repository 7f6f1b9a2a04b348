with

allocations as (
    select
        chain_id,
        vault_address,
        date as day,
        protocol,
        value,
        share
    from core.allocation_history
),

-- Shares come as fractions or as percent: only their proportion is used, and only where a day has no value
-- at all.
days as (
    select
        chain_id,
        vault_address,
        day,
        count(*) as protocols,
        count(value) > 0 as has_values,
        sum(value) as allocated_value,
        coalesce(sum(value), sum(share)) as total,
        if(count(value) > 0, min(value), min(share)) as smallest,
        if(count(value) > 0, max(value), max(share)) as largest,
        if(count(value) > 0, sum(value * value), sum(share * share)) as squares
    from allocations
    group by chain_id, vault_address, day
),

measured_days as (
    select
        chain_id,
        vault_address,
        day,
        protocols,
        has_values,
        allocated_value,
        -- A part of a total of nothing is not zero, it is undefined.
        case when total > 0 then total end as total,
        -- Where a position is negative the weights are no longer parts of a whole.
        case when total > 0 and smallest >= 0 then squares / (total * total) end
            as concentration_hhi,
        case when total > 0 and smallest >= 0 then largest / total end as top_share
    from days
),

weighted as (
    select
        allocations.chain_id,
        allocations.vault_address,
        allocations.day,
        allocations.protocol,
        allocations.value,
        allocations.share,
        if(measured_days.has_values, allocations.value, allocations.share) / measured_days.total
            as weight,
        measured_days.allocated_value,
        measured_days.protocols,
        measured_days.concentration_hhi,
        measured_days.top_share
    from allocations
    inner join measured_days
        on
            allocations.chain_id = measured_days.chain_id
            and allocations.vault_address = measured_days.vault_address
            and allocations.day = measured_days.day
),

protocol_days as (
    select
        chain_id,
        vault_address,
        day,
        protocol,
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
    chain_id::bigint as chain_id,
    vault_address::varchar as vault_address,
    day::date as day,
    protocol::varchar as protocol,
    value::double as value,
    share::double as share,
    weight::double as weight,
    (case when has_day_before then value - value_before end)::double as value_change,
    (case when has_day_before then weight - weight_before end)::double as weight_change,
    allocated_value::double as allocated_value,
    protocols::integer as protocols,
    concentration_hhi::double as concentration_hhi,
    top_share::double as top_share
from protocol_days
