select
    subaccount_address,
    name,
    vault_names,
    band,
    health_factor,
    collateral_usd,
    debt_usd,
    age_hours
from mart.subaccount_health
where has_debt and is_listed
