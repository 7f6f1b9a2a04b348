select
    entity,
    is_done
from claims
where run_id = $1 and pipeline = $2
order by place
