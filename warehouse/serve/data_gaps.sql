-- Parts of histories known to be missing, open ones first.
select
    gaps.pipeline,
    gaps.entity,
    vaults.vault_name,
    gaps.series,
    gaps.from_at,
    gaps.to_at,
    gaps.state,
    gaps.reason,
    gaps.detail,
    gaps.run_id
from ops.gaps as gaps
left join mart.vault_addresses as addresses using (vault_address)
left join mart.vault_names as vaults
    on
        gaps.vault_address = vaults.vault_address
        and coalesce(gaps.chain_id, addresses.chain_id) = vaults.chain_id
where gaps.state <> 'closed'
order by gaps.state, gaps.from_at desc, gaps.pipeline, gaps.entity, gaps.to_at
limit 200
