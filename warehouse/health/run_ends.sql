-- When the last run with each outcome ended.
select outcome, max(finished_at) as ended_at
from ops.runs
where finished_at is not null
group by outcome
order by outcome
