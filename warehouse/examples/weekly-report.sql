-- How was the week of each vault, on one line?
-- For a vault operator for the Monday letter.
--
--     vault: address or name of a vault; every vault unless it is set
--     week_end: last day of the week; the newest day every figure below can have: yesterday in UTC unless it is set
--
-- Seven UTC days that end with `week_end`; changes are measured from the newest day of the seven days before them.
-- Figures are fractions, USD, or the vault's own asset, as named. return_7d is null unless all seven days have an
-- APY; apy_smoothed is the newest of the week. governance_events counts the entries of the audit log.
-- hours_missing counts expected hours without a ratio point, those after the vault's figures stopped too: the more,
-- the less the low means.
with

days as (
    select
        chain_id,
        vault_address,
        vault_name,
        day,
        apy_smoothed,
        apy_unsmoothed,
        backing,
        collateral_ratio_low,
        collateral_ratio_close,
        pnl_usd,
        hours_present,
        hours_expected
    from mart.vault_daily
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
),

events as (
    select
        chain_id,
        vault_address,
        occurred_at
    from mart.governance_timeline
    -- It has the timelocks' events too (§2.9).
    where kind = 'audit'
),

week as (
    select
        coalesce(getvariable('week_end')::date, now_at::date - 1) as to_on,
        -- The days of a vault end with its newest fact, which may be older.
        least(to_on, now_at::date - 1) as over_on
    from mart.clock
),

dated as (
    select
        days.chain_id,
        days.vault_address,
        days.vault_name,
        days.day,
        days.apy_smoothed,
        days.apy_unsmoothed,
        days.backing,
        days.collateral_ratio_low,
        days.collateral_ratio_close,
        days.pnl_usd,
        days.hours_present,
        days.hours_expected,
        week.to_on,
        week.over_on,
        days.day > week.to_on - 7 as is_in_week
    from days
    cross join week
    where days.day <= week.to_on and days.day > week.to_on - 14
),

weeks as (
    select
        chain_id,
        vault_address,
        vault_name,
        to_on,
        count(*) filter (is_in_week) as days,
        last(backing order by day) filter (is_in_week and backing is not null) as backing,
        last(backing order by day) filter (not is_in_week and backing is not null)
            as backing_before,
        last(collateral_ratio_close order by day)
            filter (is_in_week and collateral_ratio_close is not null) as collateral_ratio,
        min(collateral_ratio_low) filter (is_in_week) as collateral_ratio_low,
        last(pnl_usd order by day) filter (is_in_week and pnl_usd is not null) as pnl_usd,
        last(pnl_usd order by day) filter (not is_in_week and pnl_usd is not null)
            as pnl_usd_before,
        last(apy_smoothed order by day) filter (is_in_week and apy_smoothed is not null)
            as apy_smoothed,
        count(*) filter (is_in_week and apy_unsmoothed > -1) as apy_days,
        -- A case, since the argument is also computed for the rows that the filter leaves out.
        exp(
            sum(ln(case when apy_unsmoothed > -1 then 1 + apy_unsmoothed end))
                filter (is_in_week)
            / 365
        ) - 1 as return_7d,
        sum(hours_expected - hours_present) filter (is_in_week)
        + case when max(hours_expected) > 0 then 24 * greatest(over_on - max(day), 0) else 0 end as hours_missing
    from dated
    group by chain_id, vault_address, vault_name, to_on, over_on
),

event_counts as (
    select
        events.chain_id,
        events.vault_address,
        count(*) as events
    from events
    cross join week
    where events.occurred_at >= week.to_on - 6 and events.occurred_at < week.to_on + 1
    group by events.chain_id, events.vault_address
)

select
    weeks.vault_name,
    weeks.vault_address,
    weeks.to_on - 6 as from_on,
    weeks.to_on,
    case when weeks.apy_days = 7 then weeks.return_7d end as return_7d,
    weeks.apy_smoothed,
    weeks.pnl_usd - weeks.pnl_usd_before as pnl_usd_change,
    weeks.backing,
    weeks.backing / nullif(weeks.backing_before, 0) - 1 as backing_change,
    weeks.collateral_ratio,
    weeks.collateral_ratio_low,
    weeks.hours_missing,
    coalesce(event_counts.events, 0) as governance_events
from weeks
left join event_counts
    on
        weeks.chain_id = event_counts.chain_id
        and weeks.vault_address = event_counts.vault_address
where weeks.days > 0
order by weeks.vault_name, weeks.vault_address
