-- The run whose publication this is.
select run_id
from meta.runs
order by started_at desc
limit 1
