-- What is wrong with each vault, in words: one row for each trouble. Severity 1 is a loss or a run on the vault, 2 is
-- close to one, 3 is a figure that is late, missing or contradicts another. $h in the words stands for `hours`.
-- Figures with a limit are rounded down, so that none below its limit is shown as the limit. The inner round is for
-- products such as 1.15 * 100, which is a little less than 115.
with

latest as (select * from mart.vault_latest where not is_ended),

newest_at_par as (
    select
        vault_address,
        max(observed_at) filter (not is_below_par) as par_at,
        max(observed_at) as ratio_at,
        arg_max(collateral_ratio, observed_at) as collateral_ratio,
        arg_max(is_below_par, observed_at) as is_below_par
    from mart.ratio_points
    inner join mart.clock on observed_at::date <= clock.now_at::date
    where collateral_ratio is not null
    group by vault_address
),

below_par as (
    select
        points.vault_address,
        min(points.observed_at) as since_at,
        any_value(newest_at_par.ratio_at) as ratio_at,
        any_value(newest_at_par.collateral_ratio) as collateral_ratio
    from mart.ratio_points as points
    inner join newest_at_par using (vault_address)
    where
        newest_at_par.is_below_par
        and points.observed_at <= newest_at_par.ratio_at
        and points.collateral_ratio is not null
        and (newest_at_par.par_at is null or points.observed_at > newest_at_par.par_at)
    group by points.vault_address
),

recent_days as (
    select days.*, clock.now_at::date as today
    from mart.vault_daily as days
    inner join mart.clock on true
    where days.day > clock.now_at::date - 90
),

recent as (
    select
        vault_address,
        max(collateral_ratio_high) as high,
        sum(hours_expected - hours_present) filter (day > today - 7 and hours_present < hours_expected)
            as missing_hours,
        sum(hours_expected) filter (day > today - 7) as expected_hours
    from recent_days
    group by vault_address
),

executable_timelocks as (
    select
        schedule.chain_id,
        schedule.vault_address,
        count(*) as timelocks,
        min(schedule.executable_at) as since_at
    from mart.timelock_schedule as schedule
    inner join mart.clock on true
    where
        schedule.is_current
        and schedule.status = 'scheduled'
        and schedule.executable_at <= clock.now_at
    group by schedule.chain_id, schedule.vault_address
),

late_withdrawals as (
    select
        chain_id,
        vault_address,
        count(*) as requests,
        min(estimated_completion_at) as since_at
    from mart.withdrawal_queue
    where is_late
    group by chain_id, vault_address
),

-- Each payment once, even if its borrower and its lender are both of one vault.
overdue_payments as (
    select
        links.chain_id,
        links.vault_address,
        count(distinct payments.loan_id) as payments,
        min(payments.due_at) as since_at
    from mart.upcoming_payments as payments
    inner join mart.vault_subaccount_links as links
        on links.subaccount_address in (payments.lender_address, payments.borrower_address)
    where payments.is_overdue and payments.is_active
    group by links.chain_id, links.vault_address
),

series_words as (
    select
        *,
        case
            when series = 'ratio' then 'collateral ratio'
            when series = 'pnl' then 'PnL'
            when starts_with(series, 'apy_')
                then 'APY (' || replace(replace(series, 'apy_', ''), '_', ', ') || ')'
            else series
        end || ' series' as words
    from mart.freshness
    -- Not is_closed: a copy that an earlier version published has none.
    where is_stale and lower(status) is distinct from 'closed'
),

troubles as (
    select
        latest.chain_id,
        latest.vault_address,
        1 as severity,
        'below_par' as kind,
        'below par for $h (ratio '
        || format('{:.4f}', floor(round(below_par.collateral_ratio * 10000, 11)) / 10000) || ')' as words,
        -- Each hourly point stands for its hour.
        date_diff('hour', below_par.since_at, below_par.ratio_at) + 1 as hours,
        below_par.since_at,
        'collateral_ratio' as figure
    from latest
    inner join below_par using (vault_address)
    -- One that was redeemed in full has no ratio any more.
    where latest.supply > 0 or latest.supply is null
    union all
    select
        chain_id,
        vault_address,
        1 as severity,
        'queue_over_buffer' as kind,
        'withdrawal queue larger than the buffer (covers '
        || format('{:.0f}', floor(round(withdrawal_buffer_adequacy * 100, 11))) || ' %)' as words,
        null as hours,
        withdrawals_since_at as since_at,
        'pending_withdrawals_share' as figure
    from latest
    where withdrawal_buffer_adequacy < 1
    union all
    select
        chain_id,
        vault_address,
        case when lowest_health_band = 'critical' then 1 else 2 end as severity,
        'health_factor' as kind,
        'health factor ' || format('{:.2f}', floor(round(lowest_health_factor * 100, 11)) / 100)
        || ' (' || lowest_health_band || ')' as words,
        null as hours,
        null as since_at,
        'lowest_health_factor' as figure
    from latest
    where lowest_health_band in ('high risk', 'critical')
    union all
    select
        latest.chain_id,
        latest.vault_address,
        2 as severity,
        'timelock' as kind,
        'timelock can be executed '
        || case latest.next_timelock_executable_at::date - clock.now_at::date
            when 0 then 'today'
            when 1 then 'tomorrow'
            else 'in 2 days'
        end
        || strftime(latest.next_timelock_executable_at, ' at %H:%M UTC') as words,
        null as hours,
        latest.next_timelock_executable_at as since_at,
        'next_timelock_executable_at' as figure
    from latest
    inner join mart.clock on true
    where latest.next_timelock_executable_at <= clock.now_at + interval 48 hour
    union all
    select
        chain_id,
        vault_address,
        2 as severity,
        'executable_timelocks' as kind,
        timelocks
        || case when timelocks = 1 then ' timelock can be executed' else ' timelocks can be executed, the first' end
        || strftime(since_at, ' since %Y-%m-%d %H:%M UTC') as words,
        null as hours,
        since_at,
        'executable_timelocks' as figure
    from executable_timelocks
    union all
    select
        chain_id,
        vault_address,
        2 as severity,
        'late_withdrawals' as kind,
        requests || case when requests = 1 then ' withdrawal' else ' withdrawals' end
        || ' later than estimated, the first by $h' as words,
        date_diff('hour', since_at, clock.now_at) as hours,
        since_at,
        'pending_withdrawals' as figure
    from late_withdrawals
    inner join mart.clock on true
    union all
    select
        chain_id,
        vault_address,
        2 as severity,
        'overdue_payment' as kind,
        case when payments = 1 then 'loan payment' else payments || ' loan payments' end || ' overdue for $h'
            as words,
        date_diff('hour', since_at, clock.now_at) as hours,
        since_at,
        null as figure
    from overdue_payments
    inner join mart.clock on true
    union all
    select
        latest.chain_id,
        latest.vault_address,
        2 as severity,
        'drawdown' as kind,
        round((1 - latest.collateral_ratio / recent.high) * 100, 1) || ' % below its highest ratio of 90 days'
            as words,
        null as hours,
        latest.ratio_at as since_at,
        'collateral_ratio' as figure
    from latest
    inner join recent using (vault_address)
    where latest.collateral_ratio < recent.high * 0.95
    union all
    select
        chain_id,
        vault_address,
        3 as severity,
        'stale' as kind,
        case when newest_at is null then words || ' without a point' else words || ' stale for $h' end as words,
        (age_hours - target_hours)::bigint as hours,
        newest_at + to_hours(target_hours) as since_at,
        null as figure
    from series_words
    union all
    select
        chain_id,
        vault_address,
        3 as severity,
        'contradiction' as kind,
        case when count(*) = 1 then '1 figure contradicts another' else count(*) || ' figures contradict others' end
        || coalesce(' (by ' || round(max(abs(relative_difference)) * 100, 2) || ' %)', '') as words,
        null as hours,
        max(compared_at) as since_at,
        null as figure
    from mart.reconciliation
    where not is_within_tolerance
    group by chain_id, vault_address
    union all
    select
        latest.chain_id,
        latest.vault_address,
        3 as severity,
        'missing_hours' as kind,
        recent.missing_hours || ' of the last ' || recent.expected_hours || ' hours missing' as words,
        null as hours,
        null as since_at,
        null as figure
    from latest
    inner join recent using (vault_address)
    -- Some hours are missing in most weeks of most services: the page Data has every one.
    where recent.missing_hours > 0.05 * recent.expected_hours
)

select
    troubles.chain_id,
    troubles.vault_address,
    troubles.severity,
    troubles.kind,
    replace(
        troubles.words,
        '$h',
        case
            when troubles.hours is null then ''
            when troubles.hours < 1 then 'less than 1 h'
            when troubles.hours < 48 then troubles.hours || ' h'
            else (troubles.hours // 24) || ' d'
        end
    ) as words,
    troubles.since_at,
    troubles.figure
from troubles
-- Vaults that have ended are left out, whatever was wrong with them.
semi join latest using (chain_id, vault_address)
order by
    troubles.severity, troubles.kind, troubles.since_at, words, troubles.chain_id, troubles.vault_address
