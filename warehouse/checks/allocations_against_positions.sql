with

rule as (
    select relative_tolerance
    from mart.comparisons
    where comparison = 'allocations_nav'
),

other_units as (
    select chain_id, vault_address
    from mart.reconciliation
    where comparison = 'allocations_nav' and has_unit_mismatch
),

days as (
    select
        vault_address,
        chain_id,
        date,
        sum(value order by value) as allocated
    from core.allocation_history
    group by vault_address, chain_id, date
    -- A part without a value makes the sum unknown.
    having count(value) = count(*)
)

select
    days.vault_address,
    days.chain_id,
    days.date,
    days.allocated,
    snapshots.nav_usd as total_nav,
    snapshots.snapshot_at
from days
inner join mart.position_days as snapshots
    on
        days.vault_address = snapshots.vault_address
        and days.chain_id is not distinct from snapshots.chain_id
        and days.date = snapshots.day
cross join rule
-- Whether allocations are in dollars is the vault's, not the day's: its newest pair without a zero shows it.
anti join other_units
    on days.vault_address = other_units.vault_address and days.chain_id = other_units.chain_id
where abs(days.allocated - snapshots.nav_usd) > rule.relative_tolerance * abs(snapshots.nav_usd)
