-- Is a vault growing because it earns, or because people deposit?
-- For an allocator, and a vault operator who watches withdrawals.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- In the unit in which the service sends the supply, which the document does not name. credited is the yield that
-- the vault credited, flow the rest of the supply's change: deposits less withdrawals. flow is an estimate: it
-- also contains fees and rewards. days_not_known counts days whose yield was missing, so that what changed on them
-- is in neither.
with

flows as (
    select
        vault_address,
        vault_name,
        date_trunc('month', day)::date as month,
        day,
        supply,
        supply_change,
        credited,
        flow
    from mart.vault_flows
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
)

select
    vault_name,
    vault_address,
    month,
    last(supply order by day) as supply,
    sum(supply_change order by day) as supply_change,
    sum(credited order by day) as credited,
    sum(flow order by day) as flow,
    count(supply_change) - count(flow) as days_not_known
from flows
group by vault_name, vault_address, month
order by vault_name, vault_address, month
