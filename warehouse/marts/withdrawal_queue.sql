with

-- A reading without a list retires no request: those of one before it may be gone.
requests as (
    select *
    from core.withdrawal_requests as requests
    inner join mart.withdrawal_totals as totals using (chain_id, vault_address)
    where requests.is_current and totals.pending_requests is not null
),

-- First in, first out: the service gives no order. In an incomplete list, one that could not be read may come before a
-- request, and one that is there may be gone.
queued as (
    select
        *,
        case when is_list_complete then row_number() over queue end as place,
        -- If a request has no amount, there is no sum up to those behind it.
        case
            when is_list_complete and count(amount) over queue = count(*) over queue
                then sum(amount) over queue
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
        queued.amount / nullif(queued.total_assets, 0) as share_of_vault,
        queued.cumulative_amount / nullif(queued.total_assets, 0) as cumulative_share,
        clock.now_at
    from queued
    inner join mart.clock on true
    left join mart.vault_names as vaults using (chain_id, vault_address)
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
    case when is_list_complete then estimated_completion_at < now_at end as is_late,
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
