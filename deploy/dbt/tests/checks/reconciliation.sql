-- Written by `make docs` from warehouse/checks/reconciliation.sql: Figures that the service reports in two ways agree within the tolerance of their comparison (mart.comparisons). The newest pair of each is compared, unless its units differ.
{{ config(severity='warn', meta={'check': 'reconciliation'}) }}

select
    chain_id,
    vault_address,
    comparison,
    compared_at,
    unit,
    left_value,
    right_value,
    tolerance
from {{ source('mart', 'reconciliation') }}
where not is_within_tolerance
