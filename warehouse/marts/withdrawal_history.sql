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
        is_current as is_pending,
        min(valid_from) over request as first_read_at,
        case when not is_current then valid_to end as gone_at
    from core.withdrawal_requests as versions
    window request as (partition by chain_id, vault_address, request_id)
    qualify row_number() over (
        partition by chain_id, vault_address, request_id order by valid_from desc
    ) = 1
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
    requests.is_pending,
    requests.first_read_at,
    requests.gone_at,
    date_diff('second', requests.requested_at, requests.gone_at) / 86400 as waited_days,
    coalesce(requests.gone_at, clock.now_at) > requests.estimated_completion_at as was_late
from requests
inner join mart.clock on true
left join mart.vault_names as vaults using (chain_id, vault_address)
