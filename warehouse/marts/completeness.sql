with

-- `part` is the chain where a series is requested by chain and address, and 0 where it is requested by address alone.
named_vaults as (
    select vault_address, 0 as part, chain_id, vault_name
    from mart.vault_addresses
    where is_listed
    union all
    select vault_address, chain_id as part, chain_id, vault_name
    from core.vaults
    where is_current
),

-- A slot is an hour of the day, or the whole day where a day is expected whole. A day's slots are the bits of one
-- integer: everything below is joined by day, and only the last steps expand it into hours.
fact_days as (
    select 'ratio' as series, vault_address, chain_id, day, hours, first_at, last_at
    from mart.ratio_days
    union all
    select 'pnl' as series, vault_address, chain_id, day, hours, first_at, last_at
    from mart.pnl_days
    union all
    select
        apy_series.series,
        apy_history.vault_address,
        apy_history.chain_id,
        apy_history.date as day,
        1::integer as hours,
        apy_history.date::timestamp as first_at,
        apy_history.date::timestamp as last_at
    from core.apy_history
    inner join mart.apy_series using (is_smoothed, averaging_period_days)
    union all
    select
        'allocation' as series,
        vault_address,
        chain_id,
        date as day,
        1::integer as hours,
        min(date)::timestamp as first_at,
        max(date)::timestamp as last_at
    from core.allocation_history
    group by vault_address, chain_id, day
),

-- A fact from the future does not make the days up to it expected.
present_days as (
    select
        series.series,
        fact_days.vault_address,
        case when series.is_by_chain then fact_days.chain_id else 0 end as part,
        fact_days.chain_id,
        fact_days.day,
        case series.period when 'hour' then fact_days.hours else 1 end::integer as present,
        series.period,
        fact_days.first_at,
        fact_days.last_at
    from fact_days
    inner join mart.series using (series)
    inner join mart.clock on fact_days.day <= clock.now_at::date
),

histories as (
    select
        series,
        vault_address,
        part,
        min(chain_id) as chain_id,
        date_trunc(period, min(first_at))::timestamp as first_at,
        date_trunc(period, max(last_at))::timestamp as last_at
    from present_days
    group by series, vault_address, part, period
),

vault_ends as (
    select
        vault_address,
        chain_id,
        bool_or(is_current) as is_listed,
        max(valid_to) as ended_at
    from core.vaults
    group by vault_address, chain_id
),

-- Null while one of the vaults of the address (of the chain, where it is requested by chain) is listed.
history_ends as (
    select
        histories.series,
        histories.vault_address,
        histories.part,
        case when not bool_or(vault_ends.is_listed) then max(vault_ends.ended_at) end as ended_at
    from histories
    inner join vault_ends
        on
            histories.vault_address = vault_ends.vault_address
            and (histories.part = 0 or histories.part = vault_ends.chain_id)
    group by histories.series, histories.vault_address, histories.part
),

spans as (
    select
        histories.series,
        histories.vault_address,
        histories.part,
        coalesce(named_vaults.chain_id, histories.chain_id) as chain_id,
        named_vaults.vault_name,
        series.pipeline,
        series.period,
        case series.period when 'hour' then interval 1 hour else interval 1 day end as step,
        histories.first_at,
        histories.last_at,
        history_ends.ended_at
    from histories
    inner join mart.series using (series)
    left join named_vaults using (vault_address, part)
    left join history_ends using (series, vault_address, part)
),

-- The days that requests with a response covered. A request without a chain was about the address.
covered_windows as (
    select
        pipeline,
        vault_address,
        chain_id,
        series,
        covers_from,
        max(covers_to) as covers_to,
        max(finished_at) as responded_at
    from ops.tasks
    where outcome in ('loaded', 'unchanged', 'empty') and covers_to is not null
    group by
        pipeline,
        vault_address,
        chain_id,
        series,
        covers_from,
        -- All requests back to the beginning are one; each window of days is its own.
        case when covers_from is not null then covers_to end
),

covered_spans as (
    select
        spans.series,
        spans.vault_address,
        spans.part,
        spans.period,
        greatest(
            coalesce(covered_windows.covers_from, spans.first_at::date), spans.first_at::date
        ) as from_day,
        least(covered_windows.covers_to, covered_windows.responded_at::date) as to_day,
        covered_windows.responded_at
    from spans
    inner join covered_windows
        on
            spans.pipeline = covered_windows.pipeline
            and spans.vault_address = covered_windows.vault_address
            and (spans.part = 0 or spans.part = coalesce(covered_windows.chain_id, spans.part))
            and spans.series = coalesce(covered_windows.series, spans.series)
),

responded_each_day as (
    select
        series,
        vault_address,
        part,
        responded_at,
        unnest(generate_series(from_day::timestamp, to_day::timestamp, interval 1 day))::date
            as day
    from covered_spans
),

responded_days as (
    select series, vault_address, part, day, max(responded_at) as responded_at
    from responded_each_day
    group by series, vault_address, part, day
),

open_gaps as (
    select
        spans.series,
        spans.vault_address,
        spans.part,
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
            and gaps.vault_address = spans.vault_address
            and (spans.part = 0 or spans.part = coalesce(gaps.chain_id, spans.part))
            and spans.series = coalesce(gaps.series, spans.series)
    where gaps.state <> 'closed'
),

gaps_each_day as (
    select
        series,
        vault_address,
        part,
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
        part,
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
        part,
        day,
        reason,
        (1::integer << (last_slot + 1)::integer) - (1::integer << first_slot::integer) as slots
    from gap_slots
),

gap_days as (
    select
        series,
        vault_address,
        part,
        day,
        bit_or(case reason when 'quarantined' then slots else 0 end) as quarantined,
        bit_or(case reason when 'unreachable' then slots else 0 end) as unreachable,
        bit_or(slots) as gap
    from gap_masks
    group by series, vault_address, part, day
),

-- Where expectation ends (exclusive): the end of the last slot that has a fact, or that was over when the service responded
-- for it or a gap was recorded. The present hour or day is not expected yet, nor, as of a past instant, what a gap of now is of.
covered as (
    select
        series,
        vault_address,
        part,
        date_trunc(period, least(to_day::timestamp + interval 1 day, responded_at))::timestamp
            as until_at
    from covered_spans
    union all
    select
        series,
        vault_address,
        part,
        date_trunc(period, least(to_at + step, updated_at, clock.now_at))::timestamp as until_at
    from open_gaps
    inner join mart.clock on true
),

covered_until as (
    select series, vault_address, part, max(until_at) as until_at
    from covered
    group by series, vault_address, part
),

-- Nothing more is expected of a vault that is no longer listed, but its facts count. least() skips nulls: that a vault
-- was listed longer does not cover what nothing else does.
expected_spans as (
    select
        spans.*,
        greatest(
            spans.last_at + spans.step,
            case
                when covered_until.until_at is not null
                    then least(covered_until.until_at, date_trunc(spans.period, spans.ended_at)::timestamp)
            end
        ) as until_at
    from spans
    left join covered_until using (series, vault_address, part)
),

expected_days as (
    select
        expected_spans.*,
        unnest(
            generate_series(
                first_at::date::timestamp, (until_at - step)::date::timestamp, interval 1 day
            )
        )::date as day
    from expected_spans
),

known_days as (
    select
        expected_days.series,
        expected_days.vault_address,
        expected_days.chain_id,
        expected_days.vault_name,
        expected_days.period,
        expected_days.step,
        expected_days.day,
        expected_days.first_at,
        expected_days.until_at,
        coalesce(present_days.present, 0) as present,
        coalesce(gap_days.quarantined, 0) as quarantined,
        coalesce(gap_days.unreachable, 0) as unreachable,
        coalesce(gap_days.gap, 0) as gap,
        responded_days.responded_at
    from expected_days
    left join present_days using (series, vault_address, part, day)
    left join gap_days using (series, vault_address, part, day)
    left join responded_days using (series, vault_address, part, day)
),

-- The expected hours of a day: without those before the first fact and those from the end of expectation on.
slots as (
    select
        *,
        unnest(
            range(
                case when period = 'hour' and day = first_at::date then date_part('hour', first_at) else 0 end,
                case
                    when period <> 'hour' then 1
                    when day = until_at::date then date_part('hour', until_at)
                    else 24
                end
            )
        )::integer as slot
    from known_days
),

expected as (
    select
        *,
        1::integer << slot as bit,
        day::timestamp + slot * interval 1 hour as expected_at
    from slots
)

select
    vault_address,
    chain_id,
    vault_name,
    series,
    expected_at,
    period,
    case
        when present & bit <> 0 then 'present'
        when quarantined & bit <> 0 then 'quarantined'
        when unreachable & bit <> 0 then 'unreachable'
        -- A range known to be incomplete (failed, truncated) counts as without a response.
        when gap & bit <> 0 then 'missing'
        when responded_at >= expected_at + step then 'empty'
        else 'missing'
    end as state
from expected
