-- The subaccounts that belong to a vault, those nearest to liquidation first.
select
    links.subaccount_address,
    names.name,
    health.has_debt,
    health.health_factor,
    health.band,
    health.collateral_usd,
    health.debt_usd,
    health.as_of_at
from mart.vault_subaccount_links as links
left join mart.subaccount_names as names using (subaccount_address)
left join mart.subaccount_health as health using (subaccount_address)
where links.chain_id = $chain_id and links.vault_address = $vault_address
order by
    health.has_debt desc nulls last,
    health.health_factor nulls last,
    links.subaccount_address
