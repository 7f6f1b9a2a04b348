-- The pace of origin $1; version 0 if there is none. Processes on different machines compare times by `now`.
select
    coalesce(paces.version, 0)::double precision as version,
    paces.state,
    extract(epoch from clock_timestamp())::double precision * 1000 as now
from (values (1)) as one
left join paces on paces.origin = $1
