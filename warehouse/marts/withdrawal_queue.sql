with

requests as (select * from core.withdrawal_requests where is_current),

-- First in, first out: the service gives no order.
queued as (
    select
        *,
        row_number() over queue as place,
        -- If a request has no amount, there is no sum up to those behind it.
        case
            when count(amount) over queue = count(*) over queue then sum(amount) over queue
        end as cumulative_amount
    from requests
    window
        queue as (
            partition by chain_id, vault_address
            order by requested_at nulls last, request_id
            rows unbounded preceding
        )
),

valued as (
    select
        queued.*,
        vaults.vault_name,
        totals.pending_requests,
        totals.queue_amount,
        totals.queue_share,
        totals.total_assets,
        totals.nav_usd,
        totals.queue_usd,
        totals.buffer_usd,
        totals.buffer_at,
        totals.buffer_adequacy,
        totals.read_at,
        queued.amount / nullif(totals.total_assets, 0) as share_of_vault,
        queued.cumulative_amount / nullif(totals.total_assets, 0) as cumulative_share,
        clock.now_at
    from queued
    inner join mart.clock on true
    left join mart.vault_names as vaults using (chain_id, vault_address)
    inner join mart.withdrawal_totals as totals using (chain_id, vault_address)
    -- A reading without a list retires no request: those of one before it may be gone.
    where totals.pending_requests is not null
)

select
    chain_id,
    vault_address,
    request_id,
    vault_name,
    place,
    requested_at,
    date_diff('second', requested_at, now_at) / 86400 as age_days,
    estimated_completion_at,
    estimated_completion_at < now_at as is_late,
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
    queue_usd,
    buffer_usd,
    buffer_at,
    buffer_adequacy,
    cumulative_share * nav_usd <= buffer_usd as is_covered_by_buffer,
    valid_from as seen_at,
    read_at
from valued
