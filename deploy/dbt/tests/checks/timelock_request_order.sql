-- Written by `make docs` from warehouse/checks/timelock_request_order.sql: A timelock request can be executed only after it was scheduled: executable_at is scheduled_at and the duration (§2.9).
{{ config(severity='error', meta={'check': 'timelock_request_order'}) }}

select
    chain_id,
    vault_address,
    timelock_id,
    status,
    scheduled_at,
    executable_at,
    valid_from
from {{ source('core', 'timelock_requests') }}
where is_current and _updated_at >= make_timestamp(0::BIGINT) and executable_at < scheduled_at
