-- Gaps this run recorded or resolved last.
select
    pipeline,
    entity,
    from_at,
    to_at,
    reason,
    state,
    detail
from ops.gaps
where run_id = $run_id
order by pipeline, entity, from_at, to_at
