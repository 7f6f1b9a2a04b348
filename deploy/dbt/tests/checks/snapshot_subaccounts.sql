-- Written by `make docs` from warehouse/checks/snapshot_subaccounts.sql: A subaccount of a position snapshot is in some list, or in another snapshot of the vault: keys show other subaccounts, so one that is new in the newest snapshot may be in none.
{{ config(severity='warn', meta={'check': 'snapshot_subaccounts'}) }}

with

known as (
    select subaccount_address from {{ source('core', 'subaccounts') }}
    union
    select subaccount_address from {{ source('core', 'my_subaccounts') }}
    union
    select subaccount_address from {{ source('core', 'vault_subaccounts') }}
    union
    select subaccount_address from {{ source('core', 'vault_strategies') }}
    where subaccount_address is not null
),

snapshots as (
    select
        *,
        count(*) over (partition by chain_id, vault_address, subaccount_address) as snapshots_with_it,
        max(snapshot_at) over (partition by chain_id, vault_address) as newest_at
    from {{ source('core', 'position_subaccounts') }}
    where subaccount_address not like '%#%'
)

select
    chain_id,
    vault_address,
    snapshot_at,
    subaccount_address,
    total_usd
from snapshots
where
    snapshots_with_it = 1
    and snapshot_at < newest_at
    and subaccount_address not in (select subaccount_address from known)
