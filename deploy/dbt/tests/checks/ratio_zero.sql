-- Written by `make docs` from warehouse/checks/ratio_zero.sql: The collateral ratio is 0 only where the backing or the supply is 0.
{{ config(severity='error', meta={'check': 'ratio_zero'}) }}

select
    vault_address,
    observed_at,
    actual_tvl,
    tvl_on_vault,
    adjusted_redeem_ratio
from {{ source('core', 'ratio_history') }}
where
    _updated_at >= make_timestamp(0::BIGINT)
    and adjusted_redeem_ratio = 0
    and not coalesce(actual_tvl <= 0, false)
    and not coalesce(tvl_on_vault <= 0, false)
