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
    select chain_id, vault_address, finished_at as read_at
    from ops.tasks
    where pipeline = 'withdrawals' and outcome in ('loaded', 'unchanged')
    union all
    select chain_id, vault_address, valid_from as read_at
    from core.withdrawal_summaries
),

lists as (
    select readings.*
    from readings
    anti join core.withdrawal_summaries as summaries
        on
            readings.chain_id = summaries.chain_id
            and readings.vault_address = summaries.vault_address
            and readings.read_at >= summaries.valid_from
            and (summaries.valid_to is null or readings.read_at < summaries.valid_to)
            and (summaries.pending_requests is null or summaries.unread_requests is not null)
),

-- Those that a list had after their time, though they are gone now.
seen_late as (
    select distinct
        requests.chain_id,
        requests.vault_address,
        requests.request_id
    from requests
    inner join lists
        on
            requests.chain_id = lists.chain_id
            and requests.vault_address = lists.vault_address
            and requests.estimated_completion_at < lists.read_at
            and requests.gone_at > lists.read_at
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
            requests.valid_from > requests.estimated_completion_at or seen_late.request_id is not null
            then true
        -- Else it went at some time between the last list with it, before its time, and the first one without it, after it.
        when requests.gone_at <= requests.estimated_completion_at then false
    end as was_late
from requests
inner join mart.clock on true
left join mart.vault_names as vaults using (chain_id, vault_address)
left join without_lists using (chain_id, vault_address)
left join seen_late using (chain_id, vault_address, request_id)
