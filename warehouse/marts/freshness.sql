with

series as (
    select
        series,
        pipeline,
        cadence_hours,
        target_hours,
        is_evm_only
    from mart.series
),

vaults as (
    select
        chain_id,
        vault_address,
        vault_name,
        chain_type,
        status
    from core.vaults
    where is_current
),

-- By the time of the fact, never by the time it was loaded. A day counts from its start.
newest_facts as (
    select 'ratio' as series, vault_address, max(observed_at) as newest_at
    from core.ratio_history
    group by vault_address
    union all
    select 'pnl' as series, vault_address, max(snapshot_at) as newest_at
    from core.pnl_history
    group by vault_address
    union all
    select 'apy' as series, vault_address, max(date)::timestamp as newest_at
    from core.apy_history
    group by vault_address
    union all
    select 'allocation' as series, vault_address, max(date)::timestamp as newest_at
    from core.allocation_history
    group by vault_address
),

newest_tasks as (
    select
        pipeline,
        entity,
        max(finished_at) as last_asked_at,
        arg_max(outcome, finished_at) as last_outcome
    from ops.tasks
    where outcome not in ('skipped', 'deferred')
    group by pipeline, entity
),

clock as (
    -- UTC whatever the session's time zone, and without the icu extension.
    select make_timestamp(epoch_us(now())) as now_at
),

joined as (
    select
        vaults.chain_id,
        vaults.vault_address,
        vaults.vault_name,
        vaults.status,
        series.series,
        newest_facts.newest_at,
        date_diff('second', newest_facts.newest_at, clock.now_at) / 3600 as age_hours,
        series.cadence_hours,
        series.target_hours,
        newest_tasks.last_asked_at,
        newest_tasks.last_outcome
    from vaults
    cross join series
    cross join clock
    left join newest_facts
        on
            series.series = newest_facts.series
            and vaults.vault_address = newest_facts.vault_address
    left join newest_tasks
        on
            series.pipeline = newest_tasks.pipeline
            and vaults.vault_address = newest_tasks.entity
    where vaults.chain_type = 'evm' or not series.is_evm_only
)

select
    chain_id::bigint as chain_id,
    vault_address::varchar as vault_address,
    vault_name::varchar as vault_name,
    status::varchar as status,
    series::varchar as series,
    newest_at::timestamp as newest_at,
    age_hours::double as age_hours,
    cadence_hours::integer as cadence_hours,
    target_hours::integer as target_hours,
    case
        when newest_at is not null then age_hours > target_hours
        -- What the service says it does not offer for a vault is not late.
        else last_outcome is distinct from 'unsupported'
    end::boolean as is_stale,
    last_asked_at::timestamp as last_asked_at,
    last_outcome::varchar as last_outcome
from joined
