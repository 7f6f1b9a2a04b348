-- Parts of histories known to be missing, by pipeline: open ones that the runs read again, and permanent ones. Of the
-- vaults (or whatever else is read separately) with the longest, `ranges` says what is missing.
with

names as (
    select vault_address, arg_max(vault_name, valid_from) as vault_name
    from core.vaults
    group by vault_address
),

of_subjects as (
    select
        gaps.pipeline,
        gaps.state,
        coalesce(names.vault_name, gaps.vault_address, gaps.entity) as subject,
        count(*) as gaps,
        min(gaps.from_at) as from_at,
        max(gaps.to_at) as to_at,
        min(gaps.updated_at) as since,
        max(gaps.updated_at) as updated_at,
        arg_max(gaps.detail, gaps.updated_at) as detail
    from ops.gaps as gaps
    left join names using (vault_address)
    where
        state = 'permanent'
        or (
            state = 'open'
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
    group by gaps.pipeline, gaps.state, subject
)

select
    pipeline,
    state,
    sum(each.gaps)::integer as gaps,
    count(*) as entities,
    min(each.from_at) as from_at,
    max(each.to_at) as to_at,
    min(each.since) as since,
    arg_max(each.detail, each.updated_at) as detail,
    list(
        concat(
            each.subject,
            ' ',
            each.from_at::date,
            case when each.to_at::date > each.from_at::date then concat(' to ', each.to_at::date) end,
            case when each.gaps > 1 then concat(' (', each.gaps, ' gaps)') end
        )
        order by each.to_at - each.from_at desc, each.subject
    )[:3] as ranges
from of_subjects as each
group by pipeline, state
order by pipeline, state
