-- The collateral ratio jumped: what was the last thing governance did before?
-- For a risk officer during an incident.
--
--     vault: address or name of a vault; every vault unless it is set
--     move: least change from one hour to the next that counts, a fraction; 0.0001 unless it is set
--     hours: how far back an event may lie; 48 unless it is set
--
-- Only consecutive hours are compared: across a hole the time of the move is not known. The event is the newest in
-- mart.governance_timeline at or before the move (ASOF join); null where there is none within `hours`.
with

hours as (
    select
        chain_id,
        vault_address,
        vault_name,
        hour_at,
        ratio_at,
        collateral_ratio
    from mart.vault_hourly
    where
        collateral_ratio is not null
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
),

events as (
    select
        chain_id,
        vault_address,
        occurred_at,
        min(title) as title,
        min(detail) as detail,
        count(*) as events
    from mart.governance_timeline
    where is_reported and kind <> 'timelock_executable'
    group by chain_id, vault_address, occurred_at
),

changes as (
    select
        chain_id,
        vault_address,
        vault_name,
        ratio_at,
        collateral_ratio,
        case
            when hour_at - lag(hour_at) over vault = interval 1 hour
                then collateral_ratio - lag(collateral_ratio) over vault
        end as change
    from hours
    window vault as (partition by vault_address order by hour_at)
),

moves as (
    select
        chain_id,
        vault_address,
        vault_name,
        ratio_at,
        collateral_ratio,
        change
    from changes
    where abs(change) >= coalesce(getvariable('move'), 0.0001)::double
),

preceded as (
    select
        moves.vault_address,
        moves.vault_name,
        moves.ratio_at,
        moves.collateral_ratio,
        moves.change,
        events.title,
        events.detail,
        events.events,
        events.occurred_at,
        events.occurred_at >= moves.ratio_at - to_hours(coalesce(getvariable('hours'), 48)::integer) as is_near
    from moves
    asof left join events
        on
            moves.chain_id = events.chain_id
            and moves.vault_address = events.vault_address
            and moves.ratio_at >= events.occurred_at
)

select
    vault_name,
    vault_address,
    ratio_at,
    change,
    collateral_ratio,
    case when is_near then occurred_at end as event_at,
    case when is_near then date_diff('minute', occurred_at, ratio_at) / 60 end as hours_before,
    case when is_near then title end as event,
    case when is_near then detail end as detail,
    case when is_near then events end as events_at_once
from preceded
order by abs(change) desc, vault_name, vault_address, ratio_at
limit 100
