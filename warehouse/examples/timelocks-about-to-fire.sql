-- What is about to be changed in a vault, and from when can it be done?
-- Asked by an allocator's risk officer: it is the time that is left to leave.
--
--     $vault = null  address or name of a vault; null is every vault
--     $days = 14     days ahead; what can be executed already is always there
--
-- Scheduled timelocks that were neither executed nor cancelled when last read. Where executable_at could not be
-- read it is scheduled_at and the delay of the same timelock_id in either table (is_told: false); where nobody
-- tells a delay it is null and the timelock stands last, not at zero: it may fire at any moment. hours_left
-- below 0: it can fire already.
with

timelocks as (
    select
        chain_id,
        vault_address,
        timelock_id,
        scheduled_at,
        executable_at,
        delay_seconds,
        labels,
        -- A time too far off for the column, "never" say, is kept in extra: no delay replaces it.
        executable_at is not null
        or (extra ->> '$.executable_at') is not null as is_executable_at_told,
        valid_from
    from core.timelocks
    where is_current and status = 'scheduled'
),

timelock_requests as (
    select
        chain_id,
        vault_address,
        timelock_id,
        scheduled_at,
        executable_at,
        delay_seconds
    from core.timelock_requests
    where is_current
),

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from core.vaults
    where
        is_current
        and ($vault::varchar is null or $vault::varchar in (vault_address, vault_name))
),

-- What the live read (§2.9) did not tell may follow from the request: the same timelock by its id.
timed as (
    select
        timelocks.*,
        case
            when timelocks.is_executable_at_told then timelocks.executable_at
            else coalesce(
                timelock_requests.executable_at,
                coalesce(timelocks.scheduled_at, timelock_requests.scheduled_at)
                + to_seconds(
                    coalesce(timelocks.delay_seconds, timelock_requests.delay_seconds)
                )
            )
        end as can_be_executed_at
    from timelocks
    left join timelock_requests
        on
            timelocks.chain_id = timelock_requests.chain_id
            and timelocks.vault_address = timelock_requests.vault_address
            and timelocks.timelock_id = timelock_requests.timelock_id
),

clock as (
    select make_timestamp(epoch_us(now())) as now_at
)

select
    vaults.vault_name,
    vaults.vault_address,
    timed.timelock_id,
    timed.labels,
    timed.scheduled_at,
    timed.can_be_executed_at as executable_at,
    timed.is_executable_at_told as is_told,
    date_diff('second', clock.now_at, timed.can_be_executed_at) / 3600 as hours_left,
    timed.valid_from as seen_at
from timed
inner join vaults
    on
        timed.chain_id = vaults.chain_id
        and timed.vault_address = vaults.vault_address
cross join clock
where
    timed.can_be_executed_at is null
    or timed.can_be_executed_at <= clock.now_at + to_days($days::integer)
order by timed.can_be_executed_at nulls last, vaults.vault_name, timed.timelock_id
