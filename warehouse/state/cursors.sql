-- The cursor of each partition.
select
    pipeline,
    entity,
    cursor::varchar as cursor
from ops.cursors
