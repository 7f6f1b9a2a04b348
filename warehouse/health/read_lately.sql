-- What the runs still read, by pipeline and partition: what has a task within ten days before the newest. That is long enough for
-- weekly runs, and for what the service did not offer, which is requested again after a week (`unsupportedRetryDays`). The newest is
-- that of a day before the last task: after a pause, the first runs may be of a part, and must not end all the rest. A
-- partition that waits because it keeps failing has a task in every run. A pipeline that is skipped, or refused to the key, has one for
-- all its partitions, so all of them count: `entity` is null. The other files of this folder read this as `read_lately`.
with

counted_from as (
    select coalesce(max(finished_at), (select max(finished_at) from ops.tasks)) as newest_at
    from ops.tasks
    where finished_at < (select max(finished_at) from ops.tasks) - interval 1 day
),

recent as (
    select
        pipeline,
        entity,
        outcome,
        finished_at
    from ops.tasks
    -- No run sends a swap again.
    where finished_at > (select newest_at from counted_from) - interval 10 days and pipeline <> 'swap'
)

select distinct
    pipeline,
    entity
from recent
union all
select
    pipeline,
    null as entity
from recent
group by pipeline
having arg_max(outcome, finished_at) = 'skipped'
