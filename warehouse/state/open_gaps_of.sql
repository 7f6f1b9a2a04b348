-- Ranges of the partitions in $1 that could not be read, oldest first.
with

wanted as (
    select unnest(from_json($1, '[{"pipeline":"VARCHAR","entity":"VARCHAR"}]'), recursive := true)
)

select
    gaps.pipeline,
    gaps.entity,
    epoch_us(gaps.from_at)::double as from_at,
    epoch_us(gaps.to_at)::double as to_at
from ops.gaps
inner join wanted using (pipeline, entity)
where gaps.state = 'open'
order by gaps.from_at
