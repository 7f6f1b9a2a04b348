with

declared as (
    select * from (
        values
            ('ratio', 'core.ratio_history', 'ratio_history', 'hour', 1, 3, false),
            ('pnl', 'core.pnl_history', 'pnl_history', 'hour', 1, 3, false),
            ('apy', 'core.apy_history', 'apy_history', 'day', 24, 48, false),
            ('allocation', 'core.allocation_history', 'allocation_history', 'day', 24, 48, true)
    ) as declared (
        series, source_table, pipeline, period, cadence_hours, target_hours, is_evm_only
    )
)

select
    series::varchar as series,
    source_table::varchar as source_table,
    pipeline::varchar as pipeline,
    period::varchar as period,
    cadence_hours::integer as cadence_hours,
    target_hours::integer as target_hours,
    is_evm_only::boolean as is_evm_only
from declared
