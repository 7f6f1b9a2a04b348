with

series as (
    select
        series,
        pipeline,
        period
    from mart.series
),

-- A slot is an hour of the day, or the whole day where a day is expected whole. A day's slots are the
-- bits of one integer: everything below is joined by day, and only the end is spread into hours.
fact_days as (
    select
        'ratio' as series,
        vault_address,
        observed_at::date as day,
        bit_or(1::integer << date_part('hour', observed_at)::integer) as hours,
        min(observed_at) as first_at,
        max(observed_at) as last_at
    from core.ratio_history
    group by vault_address, day
    union all
    select
        'pnl' as series,
        vault_address,
        snapshot_at::date as day,
        bit_or(1::integer << date_part('hour', snapshot_at)::integer) as hours,
        min(snapshot_at) as first_at,
        max(snapshot_at) as last_at
    from core.pnl_history
    group by vault_address, day
    union all
    select
        'apy' as series,
        vault_address,
        date as day,
        1::integer as hours,
        min(date)::timestamp as first_at,
        max(date)::timestamp as last_at
    from core.apy_history
    group by vault_address, day
    union all
    select
        'allocation' as series,
        vault_address,
        date as day,
        1::integer as hours,
        min(date)::timestamp as first_at,
        max(date)::timestamp as last_at
    from core.allocation_history
    group by vault_address, day
),

present_days as (
    select
        series.series,
        fact_days.vault_address,
        fact_days.day,
        case series.period when 'hour' then fact_days.hours else 1 end::integer as present,
        date_trunc(series.period, fact_days.first_at)::timestamp as first_at,
        date_trunc(series.period, fact_days.last_at)::timestamp as last_at
    from fact_days
    inner join series
        on fact_days.series = series.series
),

spans as (
    select
        present_days.series,
        present_days.vault_address,
        series.pipeline,
        series.period,
        case series.period when 'hour' then interval 1 hour else interval 1 day end as step,
        min(present_days.first_at) as first_at,
        max(present_days.last_at) as last_at
    from present_days
    inner join series
        on present_days.series = series.series
    group by
        present_days.series, present_days.vault_address, series.pipeline, series.period
),

answered as (
    select
        pipeline,
        entity,
        "window" as asked,
        finished_at
    from ops.tasks
    where outcome in ('loaded', 'unchanged', 'empty')
),

-- The days a window stood for. The pipelines write `from..to` (both included), `..to`, `newest 1000`,
-- `…, full` or `…, 21 days` (up to the day they asked); any other wording proves nothing.
answered_ranges as (
    select
        pipeline,
        entity,
        finished_at,
        asked like '..%' or asked like 'newest %' or asked like '%, full' as is_from_beginning,
        case
            when asked like '%..%' then try_cast(split_part(asked, '..', 1) as date)
            when asked like '%, % days'
                then
                    finished_at::date + 1
                    - try_cast(regexp_extract(asked, ', ([0-9]+) days$', 1) as integer)
        end as from_day,
        case
            when asked like '%..%' then try_cast(split_part(asked, '..', 2) as date)
            else finished_at::date
        end as to_day
    from answered
),

answered_windows as (
    select
        pipeline,
        entity,
        from_day,
        max(to_day) as to_day,
        max(finished_at) as answered_at
    from answered_ranges
    where to_day is not null and (is_from_beginning or from_day is not null)
    group by
        pipeline,
        entity,
        from_day,
        -- All that went back to the beginning are one; a window of days stands by itself.
        case when from_day is not null then to_day end
),

answered_spans as (
    select
        spans.series,
        spans.vault_address,
        spans.period,
        greatest(
            coalesce(answered_windows.from_day, spans.first_at::date), spans.first_at::date
        ) as from_day,
        least(answered_windows.to_day, answered_windows.answered_at::date) as to_day,
        answered_windows.answered_at
    from spans
    inner join answered_windows
        on
            spans.pipeline = answered_windows.pipeline
            and spans.vault_address = answered_windows.entity
),

answered_each_day as (
    select
        series,
        vault_address,
        answered_at,
        unnest(generate_series(from_day::timestamp, to_day::timestamp, interval 1 day))::date
            as day
    from answered_spans
),

answered_days as (
    select
        series,
        vault_address,
        day,
        max(answered_at) as answered_at
    from answered_each_day
    group by series, vault_address, day
),

open_gaps as (
    select
        spans.series,
        spans.vault_address,
        spans.period,
        spans.step,
        gaps.reason,
        greatest(gaps.from_at, spans.first_at) as from_at,
        gaps.to_at,
        gaps.updated_at
    from ops.gaps as gaps
    inner join spans
        on
            gaps.pipeline = spans.pipeline
            and gaps.entity = spans.vault_address
    where gaps.state <> 'closed'
),

gaps_each_day as (
    select
        series,
        vault_address,
        period,
        reason,
        from_at,
        to_at,
        unnest(
            generate_series(
                from_at::date::timestamp, to_at::date::timestamp, interval 1 day
            )
        )::date as day
    from open_gaps
    where from_at <= to_at
),

gap_slots as (
    select
        series,
        vault_address,
        day,
        reason,
        case when period = 'hour' and day = from_at::date then date_part('hour', from_at) else 0 end
            as first_slot,
        case
            when period <> 'hour' then 0
            when day = to_at::date then date_part('hour', to_at)
            else 23
        end as last_slot
    from gaps_each_day
),

gap_masks as (
    select
        series,
        vault_address,
        day,
        reason,
        (1::integer << (last_slot + 1)::integer) - (1::integer << first_slot::integer) as slots
    from gap_slots
),

gap_days as (
    select
        series,
        vault_address,
        day,
        bit_or(case reason when 'quarantined' then slots else 0 end) as quarantined,
        bit_or(case reason when 'unreachable' then slots else 0 end) as unreachable,
        bit_or(slots) as gap
    from gap_masks
    group by series, vault_address, day
),

-- Where expectation ends (exclusive): the end of the last slot that has a fact, or was over when the
-- service answered for it or a gap was recorded. The hour or day under way is not expected yet.
covered as (
    select
        series,
        vault_address,
        last_at + step as until_at
    from spans
    union all
    select
        series,
        vault_address,
        date_trunc(period, least(to_day::timestamp + interval 1 day, answered_at))::timestamp
            as until_at
    from answered_spans
    union all
    select
        series,
        vault_address,
        date_trunc(period, least(to_at + step, updated_at))::timestamp as until_at
    from open_gaps
),

covered_until as (
    select
        series,
        vault_address,
        max(until_at) as until_at
    from covered
    group by series, vault_address
),

expected_days as (
    select
        spans.series,
        spans.vault_address,
        spans.period,
        spans.step,
        spans.first_at,
        covered_until.until_at,
        unnest(
            generate_series(
                spans.first_at::date::timestamp,
                (covered_until.until_at - spans.step)::date::timestamp,
                interval 1 day
            )
        )::date as day
    from spans
    inner join covered_until
        on
            spans.series = covered_until.series
            and spans.vault_address = covered_until.vault_address
),

known_days as (
    select
        expected_days.series,
        expected_days.vault_address,
        expected_days.period,
        expected_days.step,
        expected_days.day,
        expected_days.first_at,
        expected_days.until_at,
        coalesce(present_days.present, 0) as present,
        coalesce(gap_days.quarantined, 0) as quarantined,
        coalesce(gap_days.unreachable, 0) as unreachable,
        coalesce(gap_days.gap, 0) as gap,
        answered_days.answered_at
    from expected_days
    left join present_days
        on
            expected_days.series = present_days.series
            and expected_days.vault_address = present_days.vault_address
            and expected_days.day = present_days.day
    left join gap_days
        on
            expected_days.series = gap_days.series
            and expected_days.vault_address = gap_days.vault_address
            and expected_days.day = gap_days.day
    left join answered_days
        on
            expected_days.series = answered_days.series
            and expected_days.vault_address = answered_days.vault_address
            and expected_days.day = answered_days.day
),

slots as (
    select
        known_days.*,
        unnest(range(case period when 'hour' then 24 else 1 end))::integer as slot
    from known_days
),

expected as (
    select
        slots.*,
        1::integer << slot as bit,
        day::timestamp + slot * interval 1 hour as expected_at
    from slots
),

judged as (
    select
        vault_address,
        series,
        expected_at,
        period,
        case
            when present & bit <> 0 then 'present'
            when quarantined & bit <> 0 then 'quarantined'
            when unreachable & bit <> 0 then 'unreachable'
            -- A part known to be incomplete (failed, truncated) was not answered.
            when gap & bit <> 0 then 'missing'
            when answered_at >= expected_at + step then 'empty'
            else 'missing'
        end as state
    from expected
    where expected_at >= first_at and expected_at < until_at
),

-- An address on several chains counts as one, and has one name.
vault_names as (
    select
        vault_address,
        arg_min(vault_name, chain_id) as vault_name
    from core.vaults
    where is_current
    group by vault_address
),

named as (
    select
        judged.vault_address,
        vault_names.vault_name,
        judged.series,
        judged.expected_at,
        judged.period,
        judged.state
    from judged
    left join vault_names
        on judged.vault_address = vault_names.vault_address
)

select
    vault_address::varchar as vault_address,
    vault_name::varchar as vault_name,
    series::varchar as series,
    expected_at::timestamp as expected_at,
    period::varchar as period,
    state::varchar as state
from named
