select
    vault_address,
    date,
    is_smoothed,
    averaging_period_days,
    apy
from core.apy_history
where _updated_at >= $since and (apy < -1 or apy > $tolerance)
