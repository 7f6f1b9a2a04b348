-- Which transactions failed, how often, and what did the chain say?
-- For a vault operator whose strategy does not run.
--
--     days: days back from the newest transaction there is; 90 unless it is set
--
-- One row for each subaccount and function. A transaction without is_failed is in neither count. reason is one of
-- those that were read, as sent; null where none was requested, or the chain's node can't trace.
with

transactions as (
    select
        subaccount_address,
        executed_at,
        chain_id,
        transaction_hash,
        function_name,
        is_failed
    from core.transactions
    where is_failed is not null
),

reasons as (
    select
        chain_id,
        transaction_hash,
        revert_reasons
    from core.revert_reasons
),

recent as (
    select
        subaccount_address,
        executed_at,
        chain_id,
        transaction_hash,
        function_name,
        is_failed
    from transactions
    where
        executed_at
        > (select max(executed_at) from transactions) - to_days(coalesce(getvariable('days'), 90)::integer)
)

select
    recent.subaccount_address,
    recent.function_name,
    count(*) as transactions,
    count(*) filter (recent.is_failed) as failed,
    count(*) filter (recent.is_failed) / count(*) as share_failed,
    max(recent.executed_at) filter (recent.is_failed) as last_failed_at,
    arg_max(reasons.revert_reasons::varchar, recent.executed_at order by recent.transaction_hash) as reason
from recent
left join reasons
    on
        recent.is_failed
        and recent.chain_id = reasons.chain_id
        and recent.transaction_hash = reasons.transaction_hash
group by recent.subaccount_address, recent.function_name
having failed > 0
order by failed desc, recent.subaccount_address, recent.function_name
