with

vaults as (select * from core.vaults where is_current),

newest_timelocks as (
    select
        chain_id,
        vault_address,
        timelock_id,
        status,
        labels,
        scheduled_at,
        executable_at,
        delay_seconds,
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
        case
            when newest_timelocks.is_reported then newest_timelocks.executable_at
            else coalesce(
                timelock_requests.executable_at,
                coalesce(newest_timelocks.scheduled_at, timelock_requests.scheduled_at)
                + to_seconds(
                    coalesce(newest_timelocks.delay_seconds, timelock_requests.delay_seconds)
                )
            )
        end as executable_at,
        newest_timelocks.is_reported,
        newest_timelocks.valid_from,
        newest_timelocks.is_current
    from newest_timelocks
    left join timelock_requests using (chain_id, vault_address, timelock_id)
),

named as (
    select timed.*, vaults.vault_name
    from timed
    left join vaults using (chain_id, vault_address)
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
    valid_from as since_at,
    is_current
from named
