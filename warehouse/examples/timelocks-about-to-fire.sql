-- What is about to be changed in a vault, and from when can it be done?
-- For an allocator's risk officer: how long is left to withdraw.
--
--     vault: address or name of a vault; every vault unless it is set
--     days: days ahead; what can be executed already is always there; 14 unless it is set
--
-- Scheduled timelocks that were neither executed nor cancelled when last read. Where executable_at could not be read,
-- it is derived from scheduled_at and the delay of the same timelock_id in either table (is_reported: false).
-- Without a delay it is null, and the timelock comes last: it may fire at any moment. Where hours_left is below 0,
-- it can fire already.
with

timelocks as (
    select
        vault_name,
        vault_address,
        timelock_id,
        labels,
        scheduled_at,
        executable_at,
        is_reported,
        since_at
    from mart.timelock_schedule
    where
        is_current
        and status = 'scheduled'
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
)

select
    timelocks.vault_name,
    timelocks.vault_address,
    timelocks.timelock_id,
    timelocks.labels,
    timelocks.scheduled_at,
    timelocks.executable_at,
    timelocks.is_reported,
    date_diff('second', clock.now_at, timelocks.executable_at) / 3600 as hours_left,
    timelocks.since_at as seen_at
from timelocks
cross join mart.clock
where
    timelocks.executable_at is null
    or timelocks.executable_at <= clock.now_at + to_days(coalesce(getvariable('days'), 14)::integer)
order by timelocks.executable_at nulls last, timelocks.vault_name, timelocks.vault_address, timelocks.timelock_id
