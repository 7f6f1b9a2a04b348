with

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from core.vaults
    where is_current
),

versions as (
    select
        chain_id,
        vault_address,
        request_id,
        requested_at,
        estimated_completion_at,
        recipient_address,
        amount,
        amount_raw,
        valid_from,
        valid_to,
        is_current
    from core.withdrawal_requests
),

-- As it was read last; a request that was changed on the way is still one.
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
    from versions
    window request as (partition by chain_id, vault_address, request_id)
    qualify row_number() over (
        partition by chain_id, vault_address, request_id order by valid_from desc
    ) = 1
)

select
    requests.chain_id::bigint as chain_id,
    requests.vault_address::varchar as vault_address,
    requests.request_id::varchar as request_id,
    vaults.vault_name::varchar as vault_name,
    requests.requested_at::timestamp as requested_at,
    requests.recipient_address::varchar as recipient_address,
    requests.amount::double as amount,
    requests.amount_raw::varchar as amount_raw,
    requests.estimated_completion_at::timestamp as estimated_completion_at,
    requests.is_pending::boolean as is_pending,
    requests.first_read_at::timestamp as first_read_at,
    requests.gone_at::timestamp as gone_at,
    (date_diff('second', requests.requested_at, requests.gone_at) / 86400)::double as waited_days,
    (requests.gone_at > requests.estimated_completion_at)::boolean as was_late
from requests
left join vaults
    on
        requests.chain_id = vaults.chain_id
        and requests.vault_address = vaults.vault_address
