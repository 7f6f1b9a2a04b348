-- Written by `make docs` from warehouse/checks/pricing_class.sql: A position is priced by Primary, Secondary Market or CeFi (§2.9), in any spelling.
{{ config(severity='warn', meta={'check': 'pricing_class'}) }}

select
    vault_address,
    date,
    position_id,
    pricing_class
from {{ source('core', 'oracle_classification') }}
where
    regexp_replace(lower(pricing_class), '[^a-z]', '', 'g') not in (
        'primary', 'secondary', 'secondarymarket', 'cefi'
    )
    and _updated_at >= make_timestamp(0::BIGINT)
