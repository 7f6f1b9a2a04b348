with

allocations as (
    select chain_id, vault_address, date as day, protocol, value, share
    from core.allocation_history
),

-- Only where every part has a figure: the sum of some parts is not the total, and a share of it is none. Shares come as
-- fractions or as percent: only their proportion is used, and only where values are missing.
weighed as (
    select
        *,
        case
            when count(value) over parts = count(*) over parts then 'value'
            when count(share) over parts = count(*) over parts then 'share'
        end as weighed_by,
        max(value) over parts as largest_value,
        max(share) over parts as largest_share
    from allocations
    window parts as (partition by chain_id, vault_address, day)
),

parts as (
    select
        *,
        case weighed_by when 'value' then value when 'share' then share end as part,
        -- So that squares stay within what a number can be, however large the parts are.
        case weighed_by
            when 'value' then value / nullif(largest_value, 0)
            when 'share' then share / nullif(largest_share, 0)
        end as of_largest
    from weighed
),

days as (
    select
        chain_id,
        vault_address,
        day,
        count(*) as protocols,
        any_value(weighed_by) as weighed_by,
        case when any_value(weighed_by) = 'value' then sum(part order by part) end as allocated_value,
        sum(part order by part) as total,
        min(part) as smallest,
        max(part) as largest,
        sum(of_largest order by of_largest) as largest_parts,
        sum(of_largest * of_largest order by of_largest) as squares,
        -- Ties go to the first name, so that the result is always the same.
        first(protocol order by part desc, protocol) filter (part is not null) as top_protocol
    from parts
    group by chain_id, vault_address, day
)

select
    *,
    -- A share of a total of zero is undefined, not zero.
    case when total > 0 then total end as weighed_total,
    -- Where a position is negative the weights are no longer parts of a whole.
    case when total > 0 and smallest >= 0 then largest / total end as top_share,
    case when total > 0 and smallest >= 0 then squares / (largest_parts * largest_parts) end
        as concentration_hhi
from days
