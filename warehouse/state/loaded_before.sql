-- Whether any earlier task of a partition had rows; of one window where $3 is not null.
select count(*) > 0 as is_loaded
from ops.tasks
where
    pipeline = $1
    and entity = $2
    and "window" = coalesce($3, "window")
    and outcome in ('loaded', 'unchanged')
