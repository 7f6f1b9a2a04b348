-- Who did what in a vault, and when?
-- For an auditor, and a risk officer after an incident.
--
--     vault: address or name of a vault; every vault unless it is set
--     days: days back from now; 90 unless it is set
--
-- The newest first. The service names a holder for roles alone; for the rest, the holders of the roles at that instant
-- are those who could have done it (roles_then; null before the roles were first read). Where is_reported is false,
-- the time is that of the first reading that shows the change, so it happened at some time since the reading before.
with

events as (
    select
        chain_id,
        vault_address,
        vault_name,
        occurred_at,
        kind,
        event_id,
        title,
        detail,
        is_reported,
        kind like 'role_%' as is_of_a_role
    from mart.governance_timeline
    cross join mart.clock
    where
        occurred_at between clock.now_at - to_days(coalesce(getvariable('days'), 90)::integer) and clock.now_at
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
),

holders as (
    select
        events.chain_id,
        events.vault_address,
        events.occurred_at,
        events.kind,
        events.event_id,
        string_agg(
            distinct roles.role || ': ' || roles.holder_address,
            ', '
            order by roles.role || ': ' || roles.holder_address
        ) as roles_then
    from events
    inner join core.roles
        on
            roles.chain_id = events.chain_id
            and roles.vault_address = events.vault_address
            and roles.valid_from <= events.occurred_at
            and (roles.valid_to is null or roles.valid_to > events.occurred_at)
    group by all
)

select
    events.occurred_at,
    events.vault_name,
    events.kind,
    events.title,
    case when events.is_of_a_role then events.detail end as holder,
    case when not events.is_of_a_role then events.detail end as detail,
    events.is_reported,
    holders.roles_then
from events
left join holders
    on
        holders.chain_id = events.chain_id
        and holders.vault_address = events.vault_address
        and holders.occurred_at = events.occurred_at
        and holders.kind = events.kind
        and holders.event_id = events.event_id
order by events.occurred_at desc, events.vault_name, events.chain_id, events.vault_address, events.kind, events.event_id
