-- What is about to be changed in a vault, and from when can it be done?
-- Asked by an allocator's risk officer: it is the time that is left to leave.
--
--     $vault = null  address or name of a vault; null is every vault
--     $days = 14     days ahead; what can be executed already is always there
--
-- Scheduled timelocks that were neither executed nor cancelled when last read. executable_at is null where
-- the service tells no duration: such a timelock stands last, not at zero. hours_left below 0: it can fire
-- any moment.
with

timelocks as (
    select
        chain_id,
        vault_address,
        timelock_id,
        scheduled_at,
        executable_at,
        labels,
        valid_from
    from core.timelocks
    where is_current and status = 'scheduled'
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

clock as (
    select make_timestamp(epoch_us(now())) as now_at
)

select
    vaults.vault_name,
    vaults.vault_address,
    timelocks.timelock_id,
    timelocks.labels,
    timelocks.scheduled_at,
    timelocks.executable_at,
    date_diff('second', clock.now_at, timelocks.executable_at) / 3600 as hours_left,
    timelocks.valid_from as seen_at
from timelocks
inner join vaults
    on
        timelocks.chain_id = vaults.chain_id
        and timelocks.vault_address = vaults.vault_address
cross join clock
where
    timelocks.executable_at is null
    or timelocks.executable_at <= clock.now_at + to_days($days::integer)
order by timelocks.executable_at nulls last, vaults.vault_name, timelocks.timelock_id
