with

rule as (
    select relative_tolerance
    from mart.comparisons
    where comparison = 'allocations_nav'
),

days as (
    select
        vault_address,
        chain_id,
        date,
        sum(value) as allocated
    from core.allocation_history
    group by vault_address, chain_id, date
    -- A part without a value makes the sum unknown.
    having count(value) = count(*)
),

-- The last snapshot of the allocation's day.
navs as (
    select
        vault_address,
        chain_id,
        snapshot_at::date as date,
        arg_max(total_nav, snapshot_at) as total_nav,
        max(snapshot_at) as snapshot_at
    from core.position_snapshots
    group by vault_address, chain_id, snapshot_at::date
)

select
    days.vault_address,
    days.chain_id,
    days.date,
    days.allocated,
    navs.total_nav,
    navs.snapshot_at
from days
inner join navs
    on
        days.vault_address = navs.vault_address
        and days.chain_id is not distinct from navs.chain_id
        and days.date = navs.date
cross join rule
where abs(days.allocated - navs.total_nav) > rule.relative_tolerance * abs(navs.total_nav)
