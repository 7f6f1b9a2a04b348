-- Responses and records that break the contract and are still in quarantine, by pipeline, of what the runs read.
with

-- No run reads a vault that is in no list any more, unless it is named.
unlisted as (
    select entity
    from (
        select vault_address as entity, is_current from core.vaults
        union all
        select vault_address || '@' || chain_id as entity, is_current from core.vaults
    )
    group by entity
    having not bool_or(is_current)
)

select
    pipeline,
    count(*) as entries,
    min(quarantined_at) as since,
    arg_max(json_path, quarantined_at) as json_path,
    arg_max(detail, quarantined_at) as detail
from ops.quarantine
where closed_at is null and entity not in (from unlisted)
group by pipeline
order by pipeline
