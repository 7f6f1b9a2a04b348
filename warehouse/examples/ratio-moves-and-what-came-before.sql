-- The collateral ratio jumped: what was the last thing governance did before?
-- Asked by a risk officer during an incident.
--
--     $vault = null  address or name of a vault; null is every vault
--     $move = 0.0001 least change from one hour to the next that counts, a fraction
--     $hours = 48    how far back an event may lie
--
-- Hours that follow one another only: over a hole nobody knows when it moved. The event is the newest of
-- mart.governance_timeline at or before the move (ASOF join), null where there is none within $hours.
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
        and ($vault::varchar is null or $vault::varchar in (vault_address, vault_name))
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
    where is_told and kind <> 'timelock_executable'
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
    where abs(change) >= $move::double
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
        events.occurred_at >= moves.ratio_at - to_hours($hours::integer) as is_near
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
order by abs(change) desc, vault_name, ratio_at
limit 100
