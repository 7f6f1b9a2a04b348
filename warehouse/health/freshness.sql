-- The newest fact of each series by its time, over the vaults that are not closed; and of each other pipeline, or its newest response.
-- The same as mart.freshness and mart.pipeline_freshness, which read every task there ever was: this runs
-- in every run, and before the marts of an earlier version are replaced. test/pipelines/readers/problems/problems.test.ts compares them.
-- What no task requested in the two days before the newest is no longer read (another selection, an excluded vault, no
-- key), and what the service does not offer for a vault is not late: neither is here. A fact from the future, after the day
-- of the newest task, does not make those before it fresh.
with

clock as (select max(finished_at) as newest_at, max(finished_at)::date as today from ops.tasks),

-- The newest tasks are stored together in the file, so few rows are read.
tasks as (
    select *
    from ops.tasks
    where outcome <> 'skipped' and finished_at > (select newest_at from clock) - interval 30 days
),

still_read as (
    select pipeline, max(finished_at) - interval 2 days as since
    from tasks
    group by pipeline
    having max(finished_at) > (select newest_at from clock) - interval 2 days
),

newest_apy as (
    select is_smoothed, averaging_period_days, vault_address, max(date)::timestamp as newest_at
    from core.apy_history
    inner join clock on date <= clock.today
    group by is_smoothed, averaging_period_days, vault_address
),

newest_facts as (
    select 'ratio_history' as pipeline, 'ratio' as series, vault_address, null as chain_id, max(observed_at) as newest_at
    from core.ratio_history
    inner join clock on observed_at::date <= clock.today
    group by vault_address
    union all
    select 'pnl_history' as pipeline, 'pnl' as series, vault_address, null as chain_id, max(snapshot_at) as newest_at
    from core.pnl_history
    inner join clock on snapshot_at::date <= clock.today
    group by vault_address
    union all
    select 'apy_history' as pipeline, apy_series.series, newest_apy.vault_address, null as chain_id, newest_apy.newest_at
    from newest_apy
    inner join apy_series using (is_smoothed, averaging_period_days)
    union all
    select 'allocation_history' as pipeline, 'allocation' as series, vault_address, chain_id, max(date)::timestamp as newest_at
    from core.allocation_history
    inner join clock on date <= clock.today
    group by vault_address, chain_id
),

newest_of_pipelines as (
    select 'positions' as pipeline, max(snapshot_at) as newest_at
    from core.position_snapshots
    inner join clock on snapshot_at::date <= clock.today
    union all
    select 'oracle_classification' as pipeline, max(date)::timestamp as newest_at
    from core.oracle_classification
    inner join clock on date <= clock.today
    union all
    select 'health_factors' as pipeline, max(calculated_at) as newest_at
    from core.health_factors
    inner join clock on calculated_at::date <= clock.today
),

series as (
    select distinct
        newest_facts.pipeline,
        newest_facts.series,
        freshness_targets.target_hours
    from newest_facts
    left join freshness_targets using (pipeline)
),

-- A task without a chain is about the address on all its chains, one without a series about all series of its pipeline.
read_series as (
    select
        vaults.chain_id,
        vaults.vault_address,
        any_value(coalesce(vaults.vault_name, vaults.vault_address)) as vault_name,
        series.pipeline,
        series.series,
        series.target_hours
    from vault_names as vaults
    inner join tasks
        on
            vaults.vault_address = tasks.vault_address
            and vaults.chain_id = coalesce(tasks.chain_id, vaults.chain_id)
    inner join series
        on tasks.pipeline = series.pipeline and series.series = coalesce(tasks.series, series.series)
    inner join still_read on tasks.pipeline = still_read.pipeline and tasks.finished_at > still_read.since
    where vaults.is_listed and not vaults.is_closed
    group by all
    having first(tasks.outcome order by tasks.finished_at desc, tasks.outcome) <> 'unsupported'
),

of_series as (
    select
        read_series.series as subject,
        read_series.pipeline,
        newest_facts.newest_at,
        read_series.target_hours,
        count(*) as entities,
        min(read_series.vault_name) as example
    from read_series
    left join newest_facts
        on
            read_series.series = newest_facts.series
            and read_series.vault_address = newest_facts.vault_address
            and read_series.chain_id = coalesce(newest_facts.chain_id, read_series.chain_id)
    group by all
),

of_pipelines as (
    select
        tasks.pipeline as subject,
        tasks.pipeline,
        coalesce(
            any_value(newest_of_pipelines.newest_at),
            max(tasks.finished_at) filter (tasks.outcome in ('loaded', 'unchanged', 'empty'))
        ) as newest_at,
        any_value(freshness_targets.target_hours) as target_hours,
        count(distinct tasks.entity) as entities,
        null as example
    from tasks
    semi join still_read on tasks.pipeline = still_read.pipeline
    left join newest_of_pipelines on tasks.pipeline = newest_of_pipelines.pipeline
    left join freshness_targets
        on freshness_targets.pipeline = case when newest_of_pipelines.newest_at is null then 'other' else tasks.pipeline end
    where tasks.pipeline not in ('ratio_history', 'pnl_history', 'apy_history', 'allocation_history')
    group by tasks.pipeline
)

select * from of_series
union all by name
select * from of_pipelines
order by subject, newest_at
