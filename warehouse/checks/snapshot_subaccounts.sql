with

known as (
    select subaccount_address from core.subaccounts
    union
    select subaccount_address from core.my_subaccounts
    union
    select subaccount_address from core.vault_subaccounts
    union
    select subaccount_address from core.vault_strategies
    where subaccount_address is not null
),

snapshots as (
    select
        *,
        count(*) over (partition by chain_id, vault_address, subaccount_address) as snapshots_with_it,
        max(snapshot_at) over (partition by chain_id, vault_address) as newest_at
    from core.position_subaccounts
    -- One whose address was not sent is identified by its place in the list, and one that is in it again as `<address>#2`.
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
