with

closed_requests as (
    select chain_id, vault_address, timelock_id, closed_at
    from core.timelock_requests
    where is_current
),

timelock_versions as (
    select
        timelocks.chain_id,
        timelocks.vault_address,
        timelocks.timelock_id,
        lower(timelocks.status) as status,
        timelocks.labels::varchar as labels,
        timelocks.valid_from,
        -- Only what it has ended with has the time of its end.
        case
            when lower(timelocks.status) <> 'scheduled'
                then coalesce(timelocks.closed_at, closed_requests.closed_at)
        end as closed_at,
        lag(lower(timelocks.status) ignore nulls) over (
            partition by timelocks.chain_id, timelocks.vault_address, timelocks.timelock_id
            order by timelocks.valid_from
        ) as status_before
    from core.timelocks as timelocks
    left join closed_requests using (chain_id, vault_address, timelock_id)
),

-- A reading of an empty set leaves no row. An absence (§7) has an error, and a set that was not read whole (§4.1) is not `empty`.
empty_readings as (
    select
        chain_id,
        vault_address,
        min(finished_at) filter (pipeline = 'roles') as no_roles_at,
        min(finished_at) filter (pipeline = 'permissions') as no_permissions_at
    from ops.tasks
    where pipeline in ('roles', 'permissions') and outcome = 'empty' and error_tag is null
    group by chain_id, vault_address
),

role_versions as (
    select
        chain_id,
        vault_address,
        role,
        holder_address,
        occurrence,
        safe_threshold,
        valid_from,
        valid_to,
        lag(valid_to) over history as ended_before_at,
        -- Custody data that could not be read (§4.1) is not a change: the last known threshold counts.
        lag(safe_threshold ignore nulls) over history as safe_threshold_before,
        lead(valid_from) over history as next_from,
        least(min(valid_from) over (partition by chain_id, vault_address), no_roles_at) as first_read_at
    from core.roles
    left join empty_readings using (chain_id, vault_address)
    window history as (
        partition by chain_id, vault_address, role, holder_address, occurrence
        order by valid_from
    )
),

permission_versions as (
    select
        chain_id,
        vault_address,
        integration,
        function_name,
        occurrence,
        valid_from,
        valid_to,
        lag(valid_to) over history as ended_before_at,
        lead(valid_from) over history as next_from,
        least(min(valid_from) over (partition by chain_id, vault_address), no_permissions_at) as first_read_at
    from core.permissions
    left join empty_readings using (chain_id, vault_address)
    window history as (
        partition by chain_id, vault_address, integration, function_name, occurrence
        order by valid_from
    )
),

-- A fee that could not be read for a while is not a change: the last known one counts.
fee_changes as (
    select
        chain_id,
        vault_address,
        valid_from,
        management_fee_pct,
        performance_fee_pct,
        weekly_performance_fee_bps,
        lag(management_fee_pct ignore nulls) over history as management_fee_pct_before,
        lag(performance_fee_pct ignore nulls) over history as performance_fee_pct_before,
        lag(weekly_performance_fee_bps ignore nulls) over history as weekly_performance_fee_bps_before
    from mart.fee_schedule
    window history as (partition by chain_id, vault_address order by valid_from)
),

status_changes as (
    select
        chain_id,
        vault_address,
        valid_from,
        status,
        lag(status ignore nulls) over (partition by chain_id, vault_address order by valid_from)
            as status_before
    from core.vaults
),

-- What a table held when it was first read is the state at that time, not a change.
events as (
    select
        chain_id,
        vault_address,
        occurred_at,
        'audit' as kind,
        type as title,
        summary as detail,
        'core.audit_log' as source,
        true as is_reported,
        concat_ws(' ', type, summary, '#' || occurrence) as event_id
    from core.audit_log as audit_entries
    union all
    select
        chain_id,
        vault_address,
        scheduled_at as occurred_at,
        'timelock_scheduled' as kind,
        'Timelock scheduled' as title,
        labels as detail,
        'core.timelocks' as source,
        true as is_reported,
        timelock_id as event_id
    from mart.timelock_schedule as timelocks
    where scheduled_at is not null
    union all
    select
        chain_id,
        vault_address,
        executable_at as occurred_at,
        'timelock_executable' as kind,
        'Timelock can be executed' as title,
        labels as detail,
        'core.timelocks' as source,
        true as is_reported,
        timelock_id as event_id
    from mart.timelock_schedule as timelocks
    where executable_at is not null and status = 'scheduled'
    union all
    select
        chain_id,
        vault_address,
        coalesce(scheduled_at, since_at) as occurred_at,
        'timelock_executable_unknown' as kind,
        'Unknown when the timelock can be executed' as title,
        labels as detail,
        'core.timelocks' as source,
        scheduled_at is not null as is_reported,
        timelock_id as event_id
    from mart.timelock_schedule as timelocks
    where executable_at is null and status = 'scheduled'
    union all
    select
        chain_id,
        vault_address,
        coalesce(closed_at, valid_from) as occurred_at,
        'timelock_' || status as kind,
        'Timelock ' || status as title,
        labels as detail,
        'core.timelocks' as source,
        closed_at is not null as is_reported,
        timelock_id as event_id
    from timelock_versions
    where status <> status_before
    union all
    select
        chain_id,
        vault_address,
        valid_from as occurred_at,
        'role_granted' as kind,
        'Role granted: ' || role as title,
        holder_address as detail,
        'core.roles' as source,
        false as is_reported,
        concat_ws(' ', role, holder_address, '#' || occurrence) as event_id
    from role_versions
    where valid_from > first_read_at and ended_before_at is distinct from valid_from
    union all
    select
        chain_id,
        vault_address,
        valid_from as occurred_at,
        'role_changed' as kind,
        'Signatures changed: ' || role as title,
        holder_address || ': ' || safe_threshold_before || ' to ' || safe_threshold as detail,
        'core.roles' as source,
        false as is_reported,
        concat_ws(' ', role, holder_address, '#' || occurrence) as event_id
    from role_versions
    where
        ended_before_at = valid_from
        and safe_threshold <> safe_threshold_before
    union all
    select
        chain_id,
        vault_address,
        valid_to as occurred_at,
        'role_revoked' as kind,
        'Role revoked: ' || role as title,
        holder_address as detail,
        'core.roles' as source,
        false as is_reported,
        concat_ws(' ', role, holder_address, '#' || occurrence) as event_id
    from role_versions
    where valid_to is not null and next_from is distinct from valid_to
    union all
    select
        chain_id,
        vault_address,
        valid_from as occurred_at,
        'permission_granted' as kind,
        'Permission granted: ' || integration as title,
        function_name as detail,
        'core.permissions' as source,
        false as is_reported,
        concat_ws(' ', integration, function_name, '#' || occurrence) as event_id
    from permission_versions
    where valid_from > first_read_at and ended_before_at is distinct from valid_from
    union all
    select
        chain_id,
        vault_address,
        valid_to as occurred_at,
        'permission_revoked' as kind,
        'Permission revoked: ' || integration as title,
        function_name as detail,
        'core.permissions' as source,
        false as is_reported,
        concat_ws(' ', integration, function_name, '#' || occurrence) as event_id
    from permission_versions
    where valid_to is not null and next_from is distinct from valid_to
    union all
    select
        chain_id,
        vault_address,
        valid_from as occurred_at,
        'fee_changed' as kind,
        'Fees changed' as title,
        concat_ws(
            ', ',
            case
                when management_fee_pct <> management_fee_pct_before
                    then 'management ' || management_fee_pct_before || ' to ' || management_fee_pct
                        || ' %'
            end,
            case
                when performance_fee_pct <> performance_fee_pct_before
                    then 'performance ' || performance_fee_pct_before || ' to ' || performance_fee_pct
                        || ' %'
            end,
            case
                when weekly_performance_fee_bps <> weekly_performance_fee_bps_before
                    then 'weekly performance ' || weekly_performance_fee_bps_before || ' to '
                        || weekly_performance_fee_bps || ' bps'
            end
        ) as detail,
        'mart.fee_schedule' as source,
        false as is_reported,
        'fees' as event_id
    from fee_changes
    where
        management_fee_pct <> management_fee_pct_before
        or performance_fee_pct <> performance_fee_pct_before
        or weekly_performance_fee_bps <> weekly_performance_fee_bps_before
    union all
    select
        chain_id,
        vault_address,
        valid_from as occurred_at,
        'status_changed' as kind,
        'Vault ' || status as title,
        status_before || ' to ' || status as detail,
        'core.vaults' as source,
        false as is_reported,
        'status' as event_id
    from status_changes
    where status <> status_before
)

select events.*, vaults.vault_name
from events
left join mart.vault_names as vaults using (chain_id, vault_address)
