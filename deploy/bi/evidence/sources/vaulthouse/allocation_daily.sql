select
    chain_id,
    vault_address,
    day,
    protocol,
    value,
    weight,
    concentration_hhi
from mart.allocation_daily
