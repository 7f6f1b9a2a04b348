-- The places of the partitions in $1 for which an earlier task had rows; of one window, unless that is null.
with

wanted as (
    select unnest(
        from_json(
            $1, '[{"pipeline":"VARCHAR","entity":"VARCHAR","window":"VARCHAR","place":"INTEGER"}]'
        ),
        recursive := true
    )
)

select distinct wanted.place
from ops.tasks
inner join wanted
    on
        tasks.pipeline = wanted.pipeline
        and tasks.entity = wanted.entity
        and tasks."window" = coalesce(wanted."window", tasks."window")
where tasks.outcome in ('loaded', 'unchanged')
