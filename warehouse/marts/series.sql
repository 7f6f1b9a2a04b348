with

declared as (
    select * from (
        values
            ('ratio', 'core.ratio_history', 'ratio_history', 'hour', 1, false, false),
            ('pnl', 'core.pnl_history', 'pnl_history', 'hour', 1, false, false),
            ('allocation', 'core.allocation_history', 'allocation_history', 'day', 24, true, true)
    ) as declared (
        series,
        source_table,
        pipeline,
        period,
        cadence_hours,
        is_evm_only,
        is_by_chain
    )
),

-- The default of the setting apySeries.
default_apy as (
    select * from (values ('apy_smoothed_7d'), ('apy_unsmoothed_7d')) as default_apy (series)
),

apy_tasks as (select * from ops.tasks where pipeline = 'apy_history'),

-- The newest run whose tasks all name their series: one that was interrupted may not have reached every series.
whole_runs as (
    select run_id, min(finished_at) as began_at
    from apy_tasks
    group by run_id
    having bool_and(series is not null)
),

newest_run as (
    select max(began_at) as began_at
    from whole_runs
),

attempted_apy as (
    select series, max(finished_at) as attempted_at
    from apy_tasks
    where series is not null
    group by series
),

known_apy as (
    select series from attempted_apy
    union
    select series from mart.apy_series
),

apy as (
    select
        known_apy.series,
        -- A warehouse made from its archive has facts and no tasks.
        newest_run.began_at is null or coalesce(attempted_apy.attempted_at >= newest_run.began_at, false)
            as is_read
    from known_apy
    inner join newest_run on true
    left join attempted_apy using (series)
    union all
    select series, true as is_read
    from default_apy
    where not exists (select 1 from known_apy)
),

every_series as (
    select declared.*, true as is_read
    from declared
    union all
    select
        series,
        'core.apy_history' as source_table,
        'apy_history' as pipeline,
        'day' as period,
        24 as cadence_hours,
        false as is_evm_only,
        false as is_by_chain,
        is_read
    from apy
)

select
    every_series.*,
    freshness_targets.target_hours
from every_series
left join mart.freshness_targets using (pipeline)
