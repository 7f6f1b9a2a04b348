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
        min(valid_from) over request as first_read_at,
        case when not is_current then valid_to end as gone_at
    from core.withdrawal_requests as versions
    window request as (partition by chain_id, vault_address, request_id)
    qualify row_number() over (
        partition by chain_id, vault_address, request_id order by valid_from desc
    ) = 1
),

-- A reading without a list retires no request: those of one before it may be gone.
without_lists as (
    select chain_id, vault_address
    from core.withdrawal_summaries
    where is_current and pending_requests is null
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
        when is_pending is not null
            then coalesce(requests.gone_at, clock.now_at) > requests.estimated_completion_at
    end as was_late
from requests
inner join mart.clock on true
left join mart.vault_names as vaults using (chain_id, vault_address)
left join without_lists using (chain_id, vault_address)
