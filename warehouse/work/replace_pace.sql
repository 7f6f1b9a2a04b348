-- Stores state $3 of origin $1 if version $2 is still the stored one, and announces it if $4; a row if it did. A state
-- lost in a crash is learnt again, so that nothing waits for the disk.
with without_waiting as materialized (
    select set_config('synchronous_commit', 'off', true) as setting
),

stored as (
    insert into paces (origin, version, state)
    select $1::text, $2::bigint + 1, $3::text from without_waiting
    on conflict (origin) do update
    set version = excluded.version, state = excluded.state
    where paces.version = $2::bigint
    returning origin
)

select case when $4::boolean then pg_notify('vaulthouse_pace', origin) end as announced
from stored
