-- Timelocks of a vault that are scheduled, in the order in which they can be executed.
select
    schedule.timelock_id,
    -- As sent: JSON, usually a list.
    coalesce(nullif(array_to_string(schedule.labels ->> '$[*]', ', '), ''), schedule.labels ->> '$') as labels,
    schedule.scheduled_at,
    schedule.executable_at,
    schedule.executable_at <= clock.now_at as is_executable,
    schedule.since_at
from mart.timelock_schedule as schedule
inner join mart.clock on true
where
    schedule.chain_id = $chain_id
    and schedule.vault_address = $vault_address
    and schedule.is_current
    and schedule.status = 'scheduled'
order by schedule.executable_at nulls last, schedule.timelock_id
