select
    vault_address,
    date,
    position_id,
    pricing_class
from core.oracle_classification
where
    regexp_replace(lower(pricing_class), '[^a-z]', '', 'g') not in (
        'primary', 'secondary', 'secondarymarket', 'cefi'
    )
    and _updated_at >= $since
