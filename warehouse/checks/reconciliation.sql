select
    chain_id,
    vault_address,
    comparison,
    compared_at,
    unit,
    left_value,
    right_value,
    tolerance
from mart.reconciliation
where not is_within_tolerance
