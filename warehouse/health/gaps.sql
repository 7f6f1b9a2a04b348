-- Parts of histories known to be missing, by pipeline: open ones that the runs read again, and permanent ones.
with

listed as (
    select distinct chain_id, vault_address
    from core.vaults
    where is_current
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
where
    state = 'permanent'
    or (
        state = 'open'
        -- No run reads a vault that is in no list any more, unless it is named.
        and (
            vault_address is null
            or exists (
                select 1
                from listed
                where
                    listed.vault_address = gaps.vault_address
                    and listed.chain_id = coalesce(gaps.chain_id, listed.chain_id)
            )
        )
    )
group by pipeline, state
order by pipeline, state
