-- The cursors of the partitions in $1, and of their series, which are stored under the partition's key and their name.
with

wanted as (
    select unnest(from_json($1, '[{"pipeline":"VARCHAR","entity":"VARCHAR"}]'), recursive := true)
)

select
    cursors.pipeline,
    cursors.entity,
    cursors.cursor::varchar as cursor
from ops.cursors
inner join wanted
    on
        cursors.pipeline = wanted.pipeline
        and (
            cursors.entity = wanted.entity
            or starts_with(cursors.entity, concat(wanted.entity, ' '))
        )
