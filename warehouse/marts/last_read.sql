with

tasks as (select * from ops.tasks where outcome not in ('skipped', 'deferred'))

select
    pipeline,
    entity,
    -- An entity is about one vault, or none; older tasks do not name it.
    max(vault_address) as vault_address,
    max(chain_id) as chain_id,
    max(finished_at) as attempted_at,
    -- Always the same one where two ended at the same instant.
    first(outcome order by finished_at desc, outcome) as outcome,
    max(finished_at) filter (outcome in ('loaded', 'unchanged', 'empty')) as responded_at
from tasks
group by pipeline, entity
