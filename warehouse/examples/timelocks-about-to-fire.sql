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
        vault_name,
        vault_address,
        timelock_id,
        labels,
        scheduled_at,
        executable_at,
        is_told,
        since_at
    from mart.timelock_schedule
    where
        is_current
        and status = 'scheduled'
        and ($vault::varchar is null or $vault::varchar in (vault_address, vault_name))
),

clock as (
    select make_timestamp(epoch_us(now())) as now_at
)

select
    timelocks.vault_name,
    timelocks.vault_address,
    timelocks.timelock_id,
    timelocks.labels,
    timelocks.scheduled_at,
    timelocks.executable_at,
    timelocks.is_told,
    date_diff('second', clock.now_at, timelocks.executable_at) / 3600 as hours_left,
    timelocks.since_at as seen_at
from timelocks
cross join clock
where
    timelocks.executable_at is null
    or timelocks.executable_at <= clock.now_at + to_days($days::integer)
order by timelocks.executable_at nulls last, timelocks.vault_name, timelocks.timelock_id
