select
    vault_address,
    calculation_period,
    range,
    is_native_denominated,
    total_perf_fees_asset,
    valid_from
from core.performance_fees
where is_current and _updated_at >= $since and total_perf_fees_asset < 0
