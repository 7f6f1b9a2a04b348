with

today as (select now_at::date as today from mart.clock),

series as (select * from mart.series where is_read),

vaults as (
    select vaults.*, names.is_closed
    from core.vaults as vaults
    inner join mart.vault_names as names using (chain_id, vault_address)
    where vaults.is_current
),

newest_apy as (
    select is_smoothed, averaging_period_days, vault_address, max(date)::timestamp as newest_at
    from core.apy_history
    inner join today on date <= today
    group by is_smoothed, averaging_period_days, vault_address
),

-- By the time of the fact, never by the time it was loaded; one from the future does not make those before it fresh. A day
-- counts from its start. Facts of an address on all its chains have no chain_id.
newest_facts as (
    select 'ratio' as series, vault_address, null as chain_id, max(last_at) as newest_at
    from mart.ratio_days
    inner join today on day <= today
    group by vault_address
    union all
    select 'pnl' as series, vault_address, null as chain_id, max(last_at) as newest_at
    from mart.pnl_days
    inner join today on day <= today
    group by vault_address
    union all
    select apy_series.series, newest_apy.vault_address, null as chain_id, newest_apy.newest_at
    from newest_apy
    inner join mart.apy_series using (is_smoothed, averaging_period_days)
    union all
    select 'allocation' as series, vault_address, chain_id, max(date)::timestamp as newest_at
    from core.allocation_history
    inner join today on date <= today
    group by vault_address, chain_id
),

newest_tasks as (
    select
        pipeline,
        vault_address,
        chain_id,
        series,
        max(finished_at) as attempted_at,
        first(outcome order by finished_at desc, outcome) as outcome
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
        vaults.is_closed,
        series.series,
        series.pipeline,
        series.cadence_hours,
        series.target_hours
    from vaults
    inner join series on true
    where vaults.chain_type = 'evm' or not series.is_evm_only
),

-- A task without a chain is about the address on all its chains, one without a series about all series of its pipeline.
attempts as (
    select
        expected.chain_id,
        expected.vault_address,
        expected.series,
        max(newest_tasks.attempted_at) as last_attempted_at,
        arg_max(newest_tasks.outcome, newest_tasks.attempted_at) as last_outcome
    from expected
    inner join newest_tasks
        on
            expected.pipeline = newest_tasks.pipeline
            and expected.vault_address = newest_tasks.vault_address
            and expected.chain_id = coalesce(newest_tasks.chain_id, expected.chain_id)
            and expected.series = coalesce(newest_tasks.series, expected.series)
    group by expected.chain_id, expected.vault_address, expected.series
),

joined as (
    select
        expected.chain_id,
        expected.vault_address,
        expected.vault_name,
        expected.status,
        expected.is_closed,
        expected.series,
        newest_facts.newest_at,
        date_diff('second', newest_facts.newest_at, clock.now_at) / 3600 as age_hours,
        expected.cadence_hours,
        expected.target_hours,
        attempts.last_attempted_at,
        attempts.last_outcome
    from expected
    inner join mart.clock on true
    left join newest_facts
        on
            expected.series = newest_facts.series
            and expected.vault_address = newest_facts.vault_address
            and expected.chain_id = coalesce(newest_facts.chain_id, expected.chain_id)
    left join attempts
        on
            expected.chain_id = attempts.chain_id
            and expected.vault_address = attempts.vault_address
            and expected.series = attempts.series
)

select
    chain_id,
    vault_address,
    vault_name,
    status,
    is_closed,
    series,
    newest_at,
    age_hours,
    cadence_hours,
    target_hours,
    case
        when newest_at is not null then age_hours > target_hours
        -- What the service has nothing of, or was not requested, is not late; what could not be read is.
        else coalesce(last_outcome in ('failed', 'quarantined'), false)
    end as is_stale,
    last_attempted_at,
    last_outcome
from joined
