with

-- Named afterwards: to make a name for every row takes ten times as long.
kinds as (
    select distinct
        is_smoothed,
        averaging_period_days
    from core.apy_history
)

select
    is_smoothed,
    averaging_period_days,
    'apy_' || case when is_smoothed then 'smoothed' else 'unsmoothed' end
    || '_' || averaging_period_days || 'd' as series
from kinds
