-- What did the collateral ratio do after a permission, role or fee was changed?
-- For a risk officer: does what governance does show in the figures?
--
--     vault: address or name of a vault; every vault unless it is set
--     hours: hours after the event; 24 unless it is set
--
-- Each event with the newest ratio point at or before it, and the newest at or before the end of the window (both
-- ASOF joins: no point need exist at that very instant). ratio_change is a fraction; null where there is no such
-- point, or where no point was measured after the event. A change after an event need not be caused by it.
with

events as (
    select
        vault_address,
        vault_name,
        occurred_at,
        kind,
        title,
        detail
    from mart.governance_timeline
    where
        is_reported
        and (kind <> 'audit' or regexp_matches(title, '(?i)permission|role|fee|timelock'))
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
),

ratios as (
    select
        vault_address,
        observed_at,
        collateral_ratio
    from mart.ratio_points
    where collateral_ratio is not null
),

windowed as (
    select
        vault_address,
        vault_name,
        occurred_at,
        occurred_at + to_hours(coalesce(getvariable('hours'), 24)::integer) as window_end_at,
        kind,
        title,
        detail
    from events
),

with_before as (
    select
        windowed.vault_address,
        windowed.vault_name,
        windowed.occurred_at,
        windowed.window_end_at,
        windowed.kind,
        windowed.title,
        windowed.detail,
        ratios.observed_at as before_at,
        ratios.collateral_ratio as ratio_before
    from windowed
    asof left join ratios
        on
            windowed.vault_address = ratios.vault_address
            and windowed.occurred_at >= ratios.observed_at
),

with_after as (
    select
        with_before.vault_address,
        with_before.vault_name,
        with_before.occurred_at,
        with_before.kind,
        with_before.title,
        with_before.detail,
        with_before.before_at,
        with_before.ratio_before,
        ratios.observed_at as after_at,
        ratios.collateral_ratio as ratio_after
    from with_before
    asof left join ratios
        on
            with_before.vault_address = ratios.vault_address
            and with_before.window_end_at >= ratios.observed_at
)

select
    vault_name,
    vault_address,
    occurred_at,
    kind,
    title,
    detail,
    before_at,
    ratio_before,
    case when after_at > occurred_at then after_at end as after_at,
    case when after_at > occurred_at then ratio_after end as ratio_after,
    case when after_at > occurred_at then ratio_after - ratio_before end as ratio_change
from with_after
order by abs(ratio_change) desc nulls last, vault_name, vault_address, occurred_at, kind, title, detail
