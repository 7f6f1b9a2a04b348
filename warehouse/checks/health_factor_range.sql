select
    subaccount_address,
    health_factor_id,
    calculated_at,
    health_factor,
    total_collateral,
    total_loan
from core.health_factors
where _updated_at >= $since and health_factor < 0
