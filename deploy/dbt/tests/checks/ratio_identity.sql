-- Written by `make docs` from warehouse/checks/ratio_identity.sql: The collateral ratio is the backing over the supply (§2.9), within this share of it; the service says that it adjusts the ratio, but not how.
{{ config(severity='warn', meta={'check': 'ratio_identity'}) }}

select
    vault_address,
    observed_at,
    actual_tvl,
    tvl_on_vault,
    adjusted_redeem_ratio,
    actual_tvl / tvl_on_vault as expected_ratio
from {{ source('core', 'ratio_history') }}
where
    _updated_at >= make_timestamp(0::BIGINT)
    and actual_tvl > 0
    and tvl_on_vault > 0
    and abs(adjusted_redeem_ratio - actual_tvl / tvl_on_vault)
    > 0.01::double * actual_tvl / tvl_on_vault
