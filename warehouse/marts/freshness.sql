with

series as (
    select
        series,
        pipeline,
        cadence_hours,
        target_hours,
        is_evm_only
    from mart.series
    where is_read
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

-- By the time of the fact, never by the time it was loaded. A day counts from its start. Without a chain
-- where the facts are the address's.
newest_facts as (
    select 'ratio' as series, vault_address, null as chain_id, max(observed_at) as newest_at
    from core.ratio_history
    group by vault_address
    union all
    select 'pnl' as series, vault_address, null as chain_id, max(snapshot_at) as newest_at
    from core.pnl_history
    group by vault_address
    union all
    select
        'apy_' || case when is_smoothed then 'smoothed' else 'unsmoothed' end
        || '_' || averaging_period_days || 'd' as series,
        vault_address,
        null as chain_id,
        max(date)::timestamp as newest_at
    from core.apy_history
    group by vault_address, is_smoothed, averaging_period_days
    union all
    select 'allocation' as series, vault_address, chain_id, max(date)::timestamp as newest_at
    from core.allocation_history
    group by vault_address, chain_id
),

newest_tasks as (
    select
        pipeline,
        vault_address,
        chain_id,
        series,
        max(finished_at) as asked_at,
        arg_max(outcome, finished_at) as outcome
    from ops.tasks
    where outcome not in ('skipped', 'deferred')
    group by pipeline, vault_address, chain_id, series
),

expected as (
    select
        vaults.chain_id,
        vaults.vault_address,
        vaults.vault_name,
        vaults.status,
        series.series,
        series.pipeline,
        series.cadence_hours,
        series.target_hours
    from vaults
    cross join series
    where vaults.chain_type = 'evm' or not series.is_evm_only
),

-- A task without a chain is the address's, one without a series of all the series its pipeline reads.
asked as (
    select
        expected.chain_id,
        expected.vault_address,
        expected.series,
        max(newest_tasks.asked_at) as last_asked_at,
        arg_max(newest_tasks.outcome, newest_tasks.asked_at) as last_outcome
    from expected
    inner join newest_tasks
        on
            expected.pipeline = newest_tasks.pipeline
            and expected.vault_address = newest_tasks.vault_address
            and expected.chain_id = coalesce(newest_tasks.chain_id, expected.chain_id)
            and expected.series = coalesce(newest_tasks.series, expected.series)
    group by expected.chain_id, expected.vault_address, expected.series
),

clock as (
    -- UTC whatever the session's time zone, and without the icu extension.
    select make_timestamp(epoch_us(now())) as now_at
),

joined as (
    select
        expected.chain_id,
        expected.vault_address,
        expected.vault_name,
        expected.status,
        expected.series,
        newest_facts.newest_at,
        date_diff('second', newest_facts.newest_at, clock.now_at) / 3600 as age_hours,
        expected.cadence_hours,
        expected.target_hours,
        asked.last_asked_at,
        asked.last_outcome
    from expected
    cross join clock
    left join newest_facts
        on
            expected.series = newest_facts.series
            and expected.vault_address = newest_facts.vault_address
            and expected.chain_id = coalesce(newest_facts.chain_id, expected.chain_id)
    left join asked
        on
            expected.chain_id = asked.chain_id
            and expected.vault_address = asked.vault_address
            and expected.series = asked.series
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
