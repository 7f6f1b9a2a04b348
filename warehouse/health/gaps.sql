-- Parts of histories known to be missing, by pipeline.
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
where state <> 'closed'
group by pipeline, state
order by pipeline, state
