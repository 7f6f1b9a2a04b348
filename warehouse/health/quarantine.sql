-- Responses and records that break the contract and are still in quarantine, by pipeline, of what the runs still read.
with

of_vaults as (
    select
        pipeline,
        entity,
        max(vault_address) as vault_address,
        max(chain_id) as chain_id
    from ops.tasks
    where vault_address is not null
    group by pipeline, entity
),

entries as (
    select *
    from ops.quarantine as entries
    left join of_vaults using (pipeline, entity)
    where
        exists (
            select 1
            from read_lately
            where
                read_lately.pipeline = entries.pipeline
                and coalesce(read_lately.entity, entries.entity) = entries.entity
        )
        and (
            vault_address is null
            or exists (
                select 1
                from listed
                where
                    listed.vault_address = of_vaults.vault_address
                    and listed.chain_id = coalesce(of_vaults.chain_id, listed.chain_id)
            )
        )
)

select
    pipeline,
    count(*) as entries,
    min(quarantined_at) as since,
    arg_max(json_path, quarantined_at order by entity, "window", json_path) as json_path,
    arg_max(detail, quarantined_at order by entity, "window", json_path) as detail
from entries
where closed_at is null
group by pipeline
order by pipeline
