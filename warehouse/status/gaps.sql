-- Parts of histories known to be missing.
select pipeline, reason, state, count(*) as gaps, min(from_at) as from_at, max(to_at) as to_at
from ops.gaps
where state <> 'closed'
group by pipeline, reason, state
order by all
