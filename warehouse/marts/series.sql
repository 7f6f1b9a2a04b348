with

declared as (
    select * from (
        values
            ('ratio', 'core.ratio_history', 'ratio_history', 'hour', 1, 3, false, false),
            ('pnl', 'core.pnl_history', 'pnl_history', 'hour', 1, 3, false, false),
            ('allocation', 'core.allocation_history', 'allocation_history', 'day', 24, 48, true, true)
    ) as declared (
        series,
        source_table,
        pipeline,
        period,
        cadence_hours,
        target_hours,
        is_evm_only,
        is_by_chain
    )
),

-- The default of the setting apySeries.
default_apy as (
    select * from (values ('apy_smoothed_7d'), ('apy_unsmoothed_7d')) as default_apy (series)
),

apy_kinds as (
    select distinct
        is_smoothed,
        averaging_period_days
    from core.apy_history
),

stored_apy as (
    select
        'apy_' || case when is_smoothed then 'smoothed' else 'unsmoothed' end
        || '_' || averaging_period_days || 'd' as series
    from apy_kinds
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
    select series from stored_apy
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
)

select declared.*, true as is_read
from declared
union all
select
    series,
    'core.apy_history' as source_table,
    'apy_history' as pipeline,
    'day' as period,
    24 as cadence_hours,
    48 as target_hours,
    false as is_evm_only,
    false as is_by_chain,
    is_read
from apy
