-- Written by `make docs` from warehouse/checks/allocations_against_positions.sql: On every day, a vault's allocations add up to the NAV of the day's last position snapshot, within the tolerance of `allocations_nav` in mart.comparisons. A vault whose newest pair without a 0 has different units, by has_unit_mismatch of mart.reconciliation, is left out.
{{ config(severity='warn', meta={'check': 'allocations_against_positions'}) }}

with

rule as (
    select relative_tolerance
    from {{ source('mart', 'comparisons') }}
    where comparison = 'allocations_nav'
),

other_units as (
    select chain_id, vault_address
    from {{ source('mart', 'reconciliation') }}
    where comparison = 'allocations_nav' and has_unit_mismatch
),

days as (
    select
        vault_address,
        chain_id,
        date,
        sum(value order by value) as allocated
    from {{ source('core', 'allocation_history') }}
    group by vault_address, chain_id, date
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
inner join {{ source('mart', 'position_days') }} as snapshots
    on
        days.vault_address = snapshots.vault_address
        and days.chain_id is not distinct from snapshots.chain_id
        and days.date = snapshots.day
cross join rule
anti join other_units
    on days.vault_address = other_units.vault_address and days.chain_id = other_units.chain_id
where abs(days.allocated - snapshots.nav_usd) > rule.relative_tolerance * abs(snapshots.nav_usd)
