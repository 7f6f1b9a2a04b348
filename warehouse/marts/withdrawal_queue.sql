with

vaults as (select * from core.vaults where is_current),

requests as (select * from core.withdrawal_requests where is_current),

summaries as (select * from core.withdrawal_summaries where is_current),

last_reads as (select * from mart.last_read where pipeline = 'withdrawals'),

newest_snapshots as (
    select *
    from mart.position_days as days
    qualify row_number() over (partition by chain_id, vault_address order by day desc) = 1
),

-- First in, first out: the service gives no order.
queued as (
    select
        *,
        row_number() over queue as place,
        count(*) over vault as pending_requests,
        -- If a request has no amount, there is no sum up to those behind it, and no total.
        case
            when count(amount) over queue = count(*) over queue then sum(amount) over queue
        end as cumulative_amount,
        case when count(amount) over vault = count(*) over vault then sum(amount) over vault end
            as requested_amount
    from requests
    window
        vault as (partition by chain_id, vault_address),
        queue as (
            partition by chain_id, vault_address
            order by requested_at nulls last, request_id
            rows unbounded preceding
        )
),

-- Amounts are in the vault's asset, the buffer is in USD: a share of the assets is the same share of the net value.
valued as (
    select
        queued.chain_id,
        queued.vault_address,
        vaults.vault_name,
        queued.place,
        queued.request_id,
        queued.requested_at,
        date_diff('second', queued.requested_at, clock.now_at) / 86400 as age_days,
        queued.estimated_completion_at,
        queued.estimated_completion_at < clock.now_at as is_late,
        queued.recipient_address,
        queued.amount,
        queued.amount_raw,
        queued.vault_pct,
        queued.amount / nullif(summaries.total_assets, 0) as share_of_vault,
        queued.cumulative_amount,
        queued.cumulative_amount / nullif(summaries.total_assets, 0) as cumulative_share,
        queued.pending_requests,
        coalesce(summaries.total_withdrawals, queued.requested_amount) as queue_amount,
        coalesce(summaries.total_withdrawals, queued.requested_amount)
        / nullif(summaries.total_assets, 0) as queue_share,
        summaries.total_assets,
        newest_snapshots.nav_usd,
        newest_snapshots.buffer_usd,
        newest_snapshots.snapshot_at as buffer_at,
        queued.valid_from as seen_at,
        coalesce(
            greatest(read_by_chain.responded_at, read_by_address.responded_at), queued.valid_from
        ) as read_at
    from queued
    inner join mart.clock on true
    left join last_reads as read_by_address
        on queued.vault_address = read_by_address.entity
    left join last_reads as read_by_chain
        on queued.vault_address || '@' || queued.chain_id = read_by_chain.entity
    left join vaults using (chain_id, vault_address)
    left join summaries using (chain_id, vault_address)
    left join newest_snapshots using (chain_id, vault_address)
)

select
    chain_id,
    vault_address,
    request_id,
    vault_name,
    place,
    requested_at,
    age_days,
    estimated_completion_at,
    is_late,
    recipient_address,
    amount,
    share_of_vault * nav_usd as amount_usd,
    amount_raw,
    vault_pct,
    share_of_vault,
    cumulative_amount,
    cumulative_share,
    pending_requests,
    queue_amount,
    queue_share,
    total_assets,
    queue_share * nav_usd as queue_usd,
    buffer_usd,
    buffer_at,
    buffer_usd / nullif(queue_share * nav_usd, 0) as buffer_adequacy,
    cumulative_share * nav_usd <= buffer_usd as is_covered_by_buffer,
    seen_at,
    read_at
from valued
