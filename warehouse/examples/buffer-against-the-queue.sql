-- Can each vault pay its withdrawal queue from what it holds itself?
-- For a vault operator every morning.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- buffer_adequacy is buffer_usd over queue_usd: from 1 on, the buffer pays the whole queue. Amounts are in the
-- vault's asset, the buffer is in USD: queue_usd is the queue's share of the vault times its net asset value.
-- Null where the vault has no position snapshot (chains other than EVM). A vault without pending requests, or
-- whose newest reading has no list of them, has no row: see mart.withdrawal_totals. Of a list that could not be read
-- whole, requests_covered, oldest_age_days and requests_amount are null.
with

queue as (
    select
        chain_id,
        vault_name,
        vault_address,
        pending_requests,
        queue_amount,
        queue_share,
        queue_usd,
        buffer_usd,
        buffer_at,
        buffer_adequacy,
        is_covered_by_buffer,
        place,
        age_days,
        amount
    from mart.withdrawal_queue
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
)

select
    vault_name,
    vault_address,
    max(pending_requests) as pending_requests,
    max(queue_amount) as queue_amount,
    max(queue_share) as queue_share,
    max(queue_usd) as queue_usd,
    max(buffer_usd) as buffer_usd,
    max(buffer_at) as buffer_at,
    max(buffer_adequacy) as buffer_adequacy,
    case when count(place) = count(*) then count(*) filter (is_covered_by_buffer) end as requests_covered,
    max(age_days) filter (place is not null) as oldest_age_days,
    case when count(place) = count(*) and count(amount) = count(*) then sum(amount) end as requests_amount
from queue
group by chain_id, vault_name, vault_address
order by buffer_adequacy nulls last, vault_name, vault_address, chain_id
