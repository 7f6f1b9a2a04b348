select
    subaccount_address,
    health_factor_id,
    calculated_at,
    health_factor,
    total_collateral,
    total_loan
from core.health_factors
where _updated_at >= $since and (total_collateral < 0 or total_loan < 0)
