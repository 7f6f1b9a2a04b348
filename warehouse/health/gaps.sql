-- Parts of histories known to be missing, by pipeline: open ones, of what the runs still read, and permanent ones. Of the
-- vaults (or whatever else is read separately) that miss most, `ranges` says what is missing: the two longest pieces.
with

-- Of each vault, and, without a chain, of each address.
names as (
    select chain_id, vault_address, arg_max(vault_name, valid_from order by chain_id) as vault_name
    from core.vaults
    group by grouping sets ((chain_id, vault_address), (vault_address))
),

found as (
    select
        gaps.*,
        coalesce(names.vault_name, gaps.vault_address, gaps.entity) as subject
    from ops.gaps as gaps
    left join names
        on
            gaps.vault_address = names.vault_address
            and gaps.chain_id is not distinct from names.chain_id
    where
        state = 'permanent'
        or (
            state = 'open'
            and exists (
                select 1
                from read_lately
                where
                    read_lately.pipeline = gaps.pipeline
                    and coalesce(read_lately.entity, gaps.entity) = gaps.entity
            )
            and (
                gaps.vault_address is null
                or exists (
                    select 1
                    from listed
                    where
                        listed.vault_address = gaps.vault_address
                        and listed.chain_id = coalesce(gaps.chain_id, listed.chain_id)
                )
            )
        )
),

-- A piece is named by its days, so gaps that touch or overlap in days are one piece.
beginnings as (
    select
        *,
        coalesce(
            from_at::date > 1 + max(to_at::date) over (
                partition by pipeline, state, chain_id, subject order by from_at, to_at
                rows between unbounded preceding and 1 preceding
            ),
            true
        ) as begins
    from found
),

numbered as (
    select
        *,
        count_if(begins) over (
            partition by pipeline, state, chain_id, subject order by from_at, to_at rows unbounded preceding
        ) as piece
    from beginnings
),

pieces as (
    select
        pipeline,
        state,
        chain_id,
        subject,
        piece,
        count(*) as gaps,
        min(from_at) as from_at,
        max(to_at) as to_at,
        min(updated_at) as since,
        max(updated_at) as updated_at,
        arg_max(detail, updated_at order by detail) as detail
    from numbered
    group by pipeline, state, chain_id, subject, piece
),

of_subjects as (
    select
        pipeline,
        state,
        subject,
        sum(gaps) as gaps,
        sum(epoch_us(to_at) - epoch_us(from_at)) as missing,
        min(since) as since,
        max(updated_at) as updated_at,
        arg_max(detail, updated_at order by detail) as detail,
        -- The longest, in their order.
        list_sort(
            list(
                concat(from_at::date, case when to_at::date > from_at::date then concat(' to ', to_at::date) end)
                order by to_at - from_at desc, from_at
            )[:2]
        ) as longest,
        count(*) - 2 as others
    from pieces
    group by pipeline, state, chain_id, subject
)

select
    pipeline,
    state,
    sum(each.gaps)::integer as gaps,
    count(*) as entities,
    min(each.since) as since,
    arg_max(each.detail, each.updated_at order by each.detail) as detail,
    list(
        concat(
            each.subject,
            ' ',
            list_aggregate(each.longest, 'string_agg', ' and '),
            case when each.others > 0 then concat(' and ', each.others, ' more') end
        )
        order by each.missing desc, each.subject, each.longest, each.others
    )[:3] as ranges
from of_subjects as each
group by pipeline, state
order by pipeline, state
