-- The run whose publication this is.
select run_id
from meta.runs
order by run_id desc
limit 1
