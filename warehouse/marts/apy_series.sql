select distinct
    is_smoothed,
    averaging_period_days,
    'apy_' || case when is_smoothed then 'smoothed' else 'unsmoothed' end
    || '_' || averaging_period_days || 'd' as series
from core.apy_history
