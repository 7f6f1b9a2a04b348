with

-- As it was last read: a request that was changed meanwhile is still one request.
requests as (
    select
        chain_id,
        vault_address,
        request_id,
        requested_at,
        estimated_completion_at,
        recipient_address,
        amount,
        amount_raw,
        is_current,
        valid_from,
        min(valid_from) over request as first_read_at,
        case when not is_current then valid_to end as gone_at
    from core.withdrawal_requests as versions
    window request as (partition by chain_id, vault_address, request_id)
    qualify row_number() over (
        partition by chain_id, vault_address, request_id order by valid_from desc
    ) = 1
),

-- A reading without a list, or with one that could not be read whole, retires no request: those of one before it may be gone.
without_lists as (
    select chain_id, vault_address
    from mart.withdrawal_totals
    where is_list_complete is distinct from true
),

readings as (
    select chain_id, vault_address, finished_at as read_at, null as is_whole
    from ops.tasks
    where pipeline = 'withdrawals' and outcome in ('loaded', 'unchanged')
    union all
    select
        chain_id,
        vault_address,
        valid_from as read_at,
        pending_requests is not null and unread_requests is null as is_whole
    from core.withdrawal_summaries
),

-- Readings of a whole list: a reading that changed nothing is as the one before.
lists as (
    select chain_id, vault_address, read_at
    from readings
    qualify
        coalesce(
            last_value(is_whole ignore nulls) over (partition by chain_id, vault_address order by read_at), true
        )
),

-- The last list that had a request, though it is gone now: the newest one before. Not by an ASOF join, as in
-- withdrawal_queue_daily.sql. Of the same instant, the list comes after the request that it no longer has.
last_lists as (
    select
        chain_id,
        vault_address,
        request_id,
        max(read_at) over (
            partition by chain_id, vault_address order by happened_at, request_id is null
        ) as read_at
    from (
        select
            chain_id,
            vault_address,
            null as request_id,
            read_at as happened_at,
            read_at
        from lists
        union all
        select
            chain_id,
            vault_address,
            request_id,
            gone_at as happened_at,
            null as read_at
        from requests
        where gone_at is not null
    ) as happenings
    qualify request_id is not null
)

select
    requests.chain_id,
    requests.vault_address,
    requests.request_id,
    vaults.vault_name,
    requests.requested_at,
    requests.recipient_address,
    requests.amount,
    requests.amount_raw,
    requests.estimated_completion_at,
    case when not requests.is_current or without_lists.vault_address is null then requests.is_current end
        as is_pending,
    requests.first_read_at,
    requests.gone_at,
    date_diff('second', requests.requested_at, requests.gone_at) / 86400 as waited_days,
    case
        when is_pending is null then null
        when is_pending then requests.estimated_completion_at < clock.now_at
        when
            greatest(requests.valid_from, last_lists.read_at) > requests.estimated_completion_at
            then true
        -- Else it went at some time between the last list with it, before its time, and the first one without it, after it.
        when requests.gone_at <= requests.estimated_completion_at then false
    end as was_late
from requests
inner join mart.clock on true
left join mart.vault_names as vaults using (chain_id, vault_address)
left join without_lists using (chain_id, vault_address)
left join last_lists using (chain_id, vault_address, request_id)
