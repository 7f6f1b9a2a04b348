with

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from core.vaults
    where is_current
),

requests as (
    select
        chain_id,
        vault_address,
        request_id,
        requested_at,
        estimated_completion_at,
        amount_raw,
        amount,
        vault_pct,
        recipient_address,
        valid_from
    from core.withdrawal_requests
    where is_current
),

summaries as (
    select
        chain_id,
        vault_address,
        total_withdrawals,
        total_assets
    from core.withdrawal_summaries
    where is_current
),

snapshots as (
    select
        chain_id,
        vault_address,
        snapshot_at,
        total_nav,
        buffer_usd
    from core.position_snapshots
),

asked as (
    select
        entity,
        answered_at
    from mart.last_asked
    where pipeline = 'withdrawals'
),

clock as (
    -- UTC whatever the session's time zone, and without the icu extension.
    select make_timestamp(epoch_us(now())) as now_at
),

newest_snapshots as (
    select *
    from snapshots
    qualify
        row_number() over (partition by chain_id, vault_address order by snapshot_at desc) = 1
),

-- First come, first served is the order here; the service names none.
queued as (
    select
        *,
        row_number() over queue as place,
        count(*) over vault as pending_requests,
        -- A request without an amount leaves no sum of those behind it, and none of all of them.
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

-- Amounts are in the vault's asset, the buffer in USD: a part of the assets is that part of the net value.
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
        newest_snapshots.total_nav as nav_usd,
        newest_snapshots.buffer_usd,
        newest_snapshots.snapshot_at as buffer_at,
        queued.valid_from as seen_at,
        coalesce(
            greatest(asked_by_chain.answered_at, asked_by_address.answered_at), queued.valid_from
        ) as read_at
    from queued
    cross join clock
    left join asked as asked_by_address
        on queued.vault_address = asked_by_address.entity
    left join asked as asked_by_chain
        on queued.vault_address || '@' || queued.chain_id = asked_by_chain.entity
    left join vaults
        on queued.chain_id = vaults.chain_id and queued.vault_address = vaults.vault_address
    left join summaries
        on
            queued.chain_id = summaries.chain_id
            and queued.vault_address = summaries.vault_address
    left join newest_snapshots
        on
            queued.chain_id = newest_snapshots.chain_id
            and queued.vault_address = newest_snapshots.vault_address
)

select
    chain_id::bigint as chain_id,
    vault_address::varchar as vault_address,
    request_id::varchar as request_id,
    vault_name::varchar as vault_name,
    place::integer as place,
    requested_at::timestamp as requested_at,
    age_days::double as age_days,
    estimated_completion_at::timestamp as estimated_completion_at,
    is_late::boolean as is_late,
    recipient_address::varchar as recipient_address,
    amount::double as amount,
    (share_of_vault * nav_usd)::double as amount_usd,
    amount_raw::varchar as amount_raw,
    vault_pct::double as vault_pct,
    share_of_vault::double as share_of_vault,
    cumulative_amount::double as cumulative_amount,
    cumulative_share::double as cumulative_share,
    pending_requests::integer as pending_requests,
    queue_amount::double as queue_amount,
    queue_share::double as queue_share,
    total_assets::double as total_assets,
    (queue_share * nav_usd)::double as queue_usd,
    buffer_usd::double as buffer_usd,
    buffer_at::timestamp as buffer_at,
    (buffer_usd / nullif(queue_share * nav_usd, 0))::double as buffer_adequacy,
    (cumulative_share * nav_usd <= buffer_usd)::boolean as is_covered_by_buffer,
    seen_at::timestamp as seen_at,
    read_at::timestamp as read_at
from valued
