-- Quarantined responses of earlier runs that run $1 has resolved: it has a newer entry for the same window, or it read
-- the same data again without a failure and left no gap open. The same data is that window, all of its days, or a
-- partition that every run reads whole because it has no cursor.
with

read_again as (
    select
        pipeline,
        entity,
        list("window") as windows,
        min(coalesce(covers_from, date '0001-01-01')) filter (covers_to is not null) as covers_from,
        max(covers_to) as covers_to
    from ops.tasks
    where run_id = $1
    group by pipeline, entity
    having not bool_or(outcome in ('quarantined', 'failed', 'deferred', 'skipped'))
)

select distinct old.response_id
from ops.quarantine as old
left join read_again
    on read_again.pipeline = old.pipeline and read_again.entity = old.entity
left join ops.tasks as task
    on
        task.run_id = old.run_id
        and task.pipeline = old.pipeline
        and task.entity = old.entity
        and task."window" = old."window"
where
    old.closed_at is null
    and old.run_id <> $1
    and (
        exists (
            from ops.quarantine as newer
            where
                newer.run_id = $1
                and newer.pipeline = old.pipeline
                and newer.entity = old.entity
                and newer."window" = old."window"
        )
        or (
            (
                list_contains(read_again.windows, old."window")
                or (
                    read_again.pipeline is not null
                    and not exists (
                        from ops.cursors
                        where
                            cursors.pipeline = old.pipeline
                            and starts_with(cursors.entity, old.entity)
                    )
                )
                or (
                    read_again.covers_from <= coalesce(task.covers_from, date '0001-01-01')
                    and read_again.covers_to >= task.covers_to
                )
            )
            and not exists (
                from ops.gaps
                where
                    gaps.pipeline = old.pipeline
                    and gaps.entity = old.entity
                    and gaps.state = 'open'
            )
        )
    )
