with

allocations as (
    select chain_id, vault_address, date as day, protocol, value, share
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
        case
            when count(value) > 0 then 'value'
            when count(share) > 0 then 'share'
        end as weighed_by,
        sum(value order by value) as allocated_value,
        coalesce(sum(value order by value), sum(share order by share)) as total,
        if(count(value) > 0, min(value), min(share)) as smallest,
        if(count(value) > 0, max(value), max(share)) as largest,
        if(
            count(value) > 0,
            sum(value * value order by value),
            sum(share * share order by share)
        ) as squares,
        -- Ties go to the first name, so that the result is always the same.
        if(
            count(value) > 0,
            first(protocol order by value desc, protocol) filter (value is not null),
            first(protocol order by share desc, protocol) filter (share is not null)
        ) as top_protocol
    from allocations
    group by chain_id, vault_address, day
)

select
    *,
    -- A share of a total of zero is undefined, not zero.
    case when total > 0 then total end as weighed_total,
    -- Where a position is negative the weights are no longer parts of a whole.
    case when total > 0 and smallest >= 0 then largest / total end as top_share,
    case when total > 0 and smallest >= 0 then squares / (total * total) end
        as concentration_hhi
from days
