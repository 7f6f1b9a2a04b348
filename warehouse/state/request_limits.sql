-- What the newest run that sent requests to $1 has learnt of the service's limits, and when: milliseconds since 1970.
select
    requests_at_once,
    requests_per_second,
    epoch_ms(finished_at)::double as learnt_at
from ops.runs
where base_url = $1 and requests_at_once is not null and finished_at is not null
order by finished_at desc, run_id desc
limit 1
