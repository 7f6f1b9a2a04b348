-- Ranges that earlier runs could not read, oldest first.
select
    pipeline,
    entity,
    epoch_us(from_at)::double as from_at,
    epoch_us(to_at)::double as to_at
from ops.gaps
where state = 'open'
order by from_at
