-- The vaults and series to choose from.
select distinct 'vault' as kind, vault_address as value, coalesce(nullif(trim(vault_name), ''), vault_address) as label
from mart.freshness
union all
select distinct 'series' as kind, series as value, series as label
from mart.freshness
order by kind, label, value
