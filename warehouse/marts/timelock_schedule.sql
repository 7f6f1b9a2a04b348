with

newest_timelocks as (
    select
        chain_id,
        vault_address,
        timelock_id,
        lower(status) as status,
        labels,
        scheduled_at,
        executable_at,
        delay_seconds,
        closed_at,
        -- A time too far off for the column (such as "never") is in extra: no delay replaces it.
        executable_at is not null
        or (extra ->> '$.executable_at') is not null as is_reported,
        valid_from,
        is_current
    from core.timelocks
    qualify row_number() over (
        partition by chain_id, vault_address, timelock_id
        order by valid_from desc
    ) = 1
),

timelock_requests as (select * from core.timelock_requests where is_current),

-- What the live read (§2.9) lacks may be in the request, which is the same timelock by its id.
timed as (
    select
        newest_timelocks.chain_id,
        newest_timelocks.vault_address,
        newest_timelocks.timelock_id,
        newest_timelocks.status,
        newest_timelocks.labels,
        newest_timelocks.scheduled_at,
        coalesce(newest_timelocks.scheduled_at, timelock_requests.scheduled_at) as delayed_from_at,
        coalesce(newest_timelocks.delay_seconds, timelock_requests.delay_seconds) as delay_seconds,
        newest_timelocks.executable_at as reported_at,
        timelock_requests.executable_at as requested_at,
        coalesce(newest_timelocks.closed_at, timelock_requests.closed_at) as closed_at,
        newest_timelocks.is_reported,
        newest_timelocks.valid_from,
        newest_timelocks.is_current
    from newest_timelocks
    left join timelock_requests using (chain_id, vault_address, timelock_id)
),

-- A contract that never lets it through has the longest delay its type can hold, which no timestamp can: beyond a
-- century there is no time.
named as (
    select
        timed.*,
        vaults.vault_name,
        case
            when timed.is_reported then timed.reported_at
            else coalesce(
                timed.requested_at,
                timed.delayed_from_at
                + to_seconds(
                    case when timed.delay_seconds between 0 and 3155760000 then timed.delay_seconds end
                )
            )
        end as executable_at
    from timed
    left join mart.vault_names as vaults using (chain_id, vault_address)
)

select
    chain_id,
    vault_address,
    timelock_id,
    vault_name,
    status,
    labels,
    scheduled_at,
    executable_at,
    is_reported,
    closed_at,
    valid_from as since_at,
    is_current
from named
