with

summaries as (select * from core.withdrawal_summaries where is_current),

requests as (
    select
        chain_id,
        vault_address,
        count(*) as requests,
        -- If a request has no amount, there is no total.
        case when count(amount) = count(*) then sum(amount order by amount) end as requested_amount,
        max(valid_from) as seen_at
    from core.withdrawal_requests
    where is_current
    group by chain_id, vault_address
),

last_reads as (
    select chain_id, vault_address, max(responded_at) as responded_at
    from mart.last_read
    where pipeline = 'withdrawals' and vault_address is not null
    group by chain_id, vault_address
),

newest_snapshots as (
    select days.*
    from mart.position_days as days
    inner join mart.clock on days.day <= clock.now_at::date
    qualify row_number() over (partition by chain_id, vault_address order by day desc) = 1
),

queues as (
    select
        chain_id,
        vault_address,
        -- A reading without a list retires no request: rows of one before it say nothing of its queue.
        case when summaries.vault_address is null then requests.requests else summaries.pending_requests end
            as pending_requests,
        -- Nor does a reading that could not read all of them: there may be as many rows, some of which are gone.
        case
            when summaries.vault_address is null then true
            when summaries.pending_requests is not null
                then
                    summaries.unread_requests is null
                    and summaries.pending_requests = coalesce(requests.requests, 0)
        end as is_list_complete,
        -- Only the sum of a complete list is the queue's.
        case
            when summaries.total_withdrawals is not null then summaries.total_withdrawals
            when summaries.pending_requests = 0 then 0
            when is_list_complete then requests.requested_amount
        end as queue_amount,
        summaries.total_assets,
        -- Nothing is nothing of an unknown total too.
        case when queue_amount = 0 then 0 else queue_amount / nullif(summaries.total_assets, 0) end as queue_share,
        greatest(summaries.valid_from, requests.seen_at) as since_at
    from summaries
    full join requests using (chain_id, vault_address)
)

-- Amounts are in the vault's asset, the buffer is in USD: a share of the assets is the same share of the net value.
select
    queues.chain_id,
    queues.vault_address,
    queues.pending_requests,
    queues.is_list_complete,
    queues.queue_amount,
    queues.total_assets,
    queues.queue_share,
    snapshots.nav_usd,
    queues.queue_share * snapshots.nav_usd as queue_usd,
    snapshots.buffer_usd,
    snapshots.snapshot_at as buffer_at,
    snapshots.buffer_usd / nullif(queues.queue_share * snapshots.nav_usd, 0) as buffer_adequacy,
    coalesce(last_reads.responded_at, queues.since_at) as read_at
from queues
left join newest_snapshots as snapshots using (chain_id, vault_address)
left join last_reads using (chain_id, vault_address)
