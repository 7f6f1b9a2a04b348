-- Parts of histories known to be missing, by pipeline: open ones that the runs read again, and permanent ones.
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
    state,
    count(*) as gaps,
    count(distinct entity) as entities,
    min(from_at) as from_at,
    max(to_at) as to_at,
    min(updated_at) as since,
    arg_max(detail, updated_at) as detail
from ops.gaps
where state = 'permanent' or (state = 'open' and entity not in (from unlisted))
group by pipeline, state
order by pipeline, state
