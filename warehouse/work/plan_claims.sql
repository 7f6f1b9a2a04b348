-- Plans the tasks of a pipeline. A partition that is found twice is one task.
insert into claims (run_id, pipeline, entity, place, task)
select
    $1,
    $2,
    planned.entity,
    planned.place,
    planned.task
from json_to_recordset($3::json) as planned (entity text, place integer, task json)
on conflict do nothing
