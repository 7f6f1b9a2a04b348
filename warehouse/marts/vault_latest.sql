with

-- What is dated later is no fact yet: it must not hide the newest that is.
today as (select now_at::date as today from mart.clock),

reported_metrics as (select * from core.vault_reported_metrics where is_current),

current_fees as (select * from mart.fee_schedule where is_current),

annualized as (select * from core.annualized_apy where is_current),

summaries as (select * from core.vault_summaries where is_current),

withdrawals as (select * from core.withdrawal_summaries where is_current),

queued as (
    select chain_id, vault_address, max(age_days) as oldest_age_days
    from mart.withdrawal_queue
    -- Without places, one of them may be gone and an older one unknown.
    where place is not null
    group by chain_id, vault_address
),

roles as (select * from core.roles where is_current and lower(role) = 'owner'),

role_warnings as (
    select chain_id, vault_address, string_agg(warning, '; ' order by warning) as warnings
    from core.observation_warnings
    where is_current and endpoint = 'roles'
    group by chain_id, vault_address
),

scheduled_timelocks as (
    select *
    from mart.timelock_schedule
    where is_current and status = 'scheduled'
),

classified as (
    select
        chain_id,
        vault_address,
        date as day,
        lower(replace(replace(pricing_class, '_', ''), ' ', '')) as pricing_class,
        usd_value
    from core.oracle_classification as classifications
    semi join (
        select chain_id, vault_address, max(date) as date
        from core.oracle_classification
        inner join today on date <= today
        group by chain_id, vault_address
    ) using (chain_id, vault_address, date)
),

-- A subaccount in no list is no longer requested: its last factor is not a current one.
health as (
    select
        links.chain_id,
        links.vault_address,
        health.has_debt,
        health.health_factor,
        health.band,
        health.as_of_at
    from mart.vault_subaccount_links as links
    left join mart.subaccount_health as health
        on
            links.subaccount_address = health.subaccount_address
            and health.is_listed is distinct from false
),

-- Finds the newest instant first, then its row: this takes a third of the time of a window over all rows.
newest_ratio as (
    select *
    from mart.ratio_points
    semi join (
        select vault_address, max(last_at) as observed_at
        from mart.ratio_days
        inner join today on day <= today
        group by vault_address
    ) using (vault_address, observed_at)
),

newest_pnl as (
    select *
    from core.pnl_history
    semi join (
        select vault_address, max(last_at) as snapshot_at
        from mart.pnl_days
        inner join today on day <= today
        group by vault_address
    ) using (vault_address, snapshot_at)
),

newest_apy as (
    select
        vault_address,
        arg_max(apy_smoothed, day) as apy_smoothed,
        max(day) filter (apy_smoothed is not null) as apy_smoothed_on,
        arg_max(apy_unsmoothed, day) as apy_unsmoothed,
        max(day) filter (apy_unsmoothed is not null) as apy_unsmoothed_on
    from mart.apy_daily
    group by vault_address
),

newest_allocation as (
    select
        chain_id,
        vault_address,
        day,
        allocated_value,
        top_protocol,
        top_share,
        concentration_hhi
    from mart.allocation_days
    inner join today on day <= today
    qualify row_number() over (partition by chain_id, vault_address order by day desc) = 1
),

newest_snapshots as (
    select days.*
    from mart.position_days as days
    inner join today on day <= today
    qualify row_number() over (partition by chain_id, vault_address order by day desc) = 1
),

owners as (
    select
        chain_id,
        vault_address,
        count(distinct holder_address) as owners,
        string_agg(distinct holder_address, ', ' order by holder_address) as owner_addresses,
        bool_and(coalesce(is_safe, false)) as is_owned_by_safes,
        -- The lowest threshold of all owners: null where one of them has none.
        case when count(safe_threshold) = count(*) then min(safe_threshold) end as safe_threshold
    from roles
    group by chain_id, vault_address
),

newest_audit as (
    select audit_entries.*
    from core.audit_log as audit_entries
    inner join today on occurred_at::date <= today
    qualify row_number() over (
        partition by chain_id, vault_address
        order by occurred_at desc, type, summary, occurrence
    ) = 1
),

newest_classified as (
    select
        chain_id,
        vault_address,
        day,
        -- If a value is negative or missing, there are no parts of a whole.
        case
            when
                sum(usd_value order by usd_value) > 0
                and min(usd_value) >= 0
                and count(usd_value) = count(*)
                then sum(usd_value order by usd_value)
        end as total_usd,
        coalesce(sum(usd_value order by usd_value) filter (pricing_class like 'primary%'), 0) / total_usd
            as primary_priced_share,
        coalesce(sum(usd_value order by usd_value) filter (pricing_class like 'secondary%'), 0) / total_usd
            as secondary_priced_share,
        coalesce(sum(usd_value order by usd_value) filter (pricing_class like 'cefi%'), 0) / total_usd
            as cefi_priced_share
    from classified
    group by chain_id, vault_address, day
),

vault_health as (
    select
        chain_id,
        vault_address,
        count(*) as linked_subaccounts,
        -- One of which no debt is known may have some.
        case when count(has_debt) = count(*) then count(*) filter (has_debt) end
            as subaccounts_with_debt,
        min(health_factor) filter (has_debt) as lowest_health_factor,
        arg_min(band, health_factor) filter (has_debt) as lowest_health_band,
        -- The oldest of equal ones, whatever the order of the rows.
        arg_min(as_of_at, health_factor order by as_of_at) filter (has_debt) as lowest_health_at
    from health
    group by chain_id, vault_address
),

timelocks as (
    select
        scheduled_timelocks.chain_id,
        scheduled_timelocks.vault_address,
        count(*) as scheduled,
        count(*) filter (scheduled_timelocks.executable_at <= clock.now_at) as executable,
        min(scheduled_timelocks.executable_at)
            filter (scheduled_timelocks.executable_at > clock.now_at) as next_executable_at,
        count(*) - count(scheduled_timelocks.executable_at) as without_executable_at
    from scheduled_timelocks
    inner join mart.clock on true
    group by scheduled_timelocks.chain_id, scheduled_timelocks.vault_address
)

select
    vaults.chain_id,
    vaults.vault_address,
    vaults.vault_name,
    vaults.chain_type,
    vaults.status,
    lifecycle.is_ended,
    vaults.receipt_token_symbol,
    vaults.started_at,
    reported_metrics.latest_reported_tvl as reported_tvl,
    reported_metrics.valid_from as reported_tvl_since_at,
    newest_ratio.backing,
    newest_ratio.supply,
    newest_ratio.collateral_ratio,
    newest_ratio.observed_at as ratio_at,
    date_diff('second', newest_ratio.observed_at, clock.now_at) / 3600 as ratio_age_hours,
    newest_pnl.unrealized_pnl as pnl_usd,
    newest_pnl.unrealized_pnl_in_asset as pnl_in_asset,
    newest_pnl.snapshot_at as pnl_at,
    date_diff('second', newest_pnl.snapshot_at, clock.now_at) / 3600 as pnl_age_hours,
    newest_apy.apy_smoothed,
    newest_apy.apy_smoothed_on,
    date_diff('day', newest_apy.apy_smoothed_on, clock.now_at::date)
        as apy_smoothed_age_days,
    newest_apy.apy_unsmoothed,
    newest_apy.apy_unsmoothed_on,
    date_diff('day', newest_apy.apy_unsmoothed_on, clock.now_at::date)
        as apy_unsmoothed_age_days,
    newest_allocation.day as allocation_on,
    date_diff('day', newest_allocation.day, clock.now_at::date) as allocation_age_days,
    newest_allocation.allocated_value,
    newest_allocation.top_protocol,
    newest_allocation.top_share as top_protocol_share,
    newest_allocation.concentration_hhi,
    newest_snapshots.nav_usd,
    newest_snapshots.reported_tvl as contract_tvl,
    newest_snapshots.buffer_usd,
    newest_snapshots.buffer_usd / nullif(newest_snapshots.nav_usd, 0) as buffer_share,
    newest_snapshots.snapshot_at as nav_at,
    date_diff('second', newest_snapshots.snapshot_at, clock.now_at) / 3600 as nav_age_hours,
    current_fees.management_fee_pct,
    current_fees.performance_fee_pct,
    current_fees.weekly_performance_fee_bps,
    current_fees.valid_from as fees_since_at,
    annualized.liquid_apy_7_day,
    annualized.liquid_apy_30_day,
    annualized.valid_from as liquid_apy_since_at,
    summaries.return_1_day as reported_return_1d_as_sent,
    summaries.return_7_day as reported_return_7d_as_sent,
    summaries.return_30_day as reported_return_30d_as_sent,
    summaries.valid_from as reported_returns_since_at,
    withdrawals.total_withdrawals as pending_withdrawals,
    withdrawals.pending_requests as pending_withdrawal_requests,
    totals.queue_share as pending_withdrawals_share,
    queued.oldest_age_days as oldest_withdrawal_age_days,
    totals.buffer_adequacy as withdrawal_buffer_adequacy,
    withdrawals.valid_from as withdrawals_since_at,
    owners.owners,
    owners.owner_addresses,
    -- Custody data that could not be read is sent as false or not at all, with a warning (§4.1) that does
    -- not name the role: neither value counts.
    case when role_warnings.warnings is null then owners.is_owned_by_safes end
        as is_owned_by_safes,
    case when role_warnings.warnings is null then owners.safe_threshold end
        as owner_safe_threshold,
    role_warnings.warnings as role_warnings,
    timelocks.scheduled as scheduled_timelocks,
    timelocks.executable as executable_timelocks,
    timelocks.next_executable_at as next_timelock_executable_at,
    timelocks.without_executable_at as timelocks_without_executable_at,
    newest_classified.primary_priced_share,
    newest_classified.secondary_priced_share,
    newest_classified.cefi_priced_share,
    newest_classified.day as pricing_on,
    date_diff('day', newest_classified.day, clock.now_at::date) as pricing_age_days,
    vault_health.linked_subaccounts,
    vault_health.subaccounts_with_debt,
    vault_health.lowest_health_factor,
    vault_health.lowest_health_band,
    date_diff('second', vault_health.lowest_health_at, clock.now_at) / 3600
        as lowest_health_age_hours,
    newest_audit.occurred_at as last_audit_at,
    newest_audit.type as last_audit_type,
    newest_audit.summary as last_audit_summary,
    date_diff('second', newest_audit.occurred_at, clock.now_at) / 86400 as last_audit_age_days
from core.vaults
inner join mart.vault_lifecycle as lifecycle using (chain_id, vault_address)
inner join mart.clock on true
left join newest_snapshots using (chain_id, vault_address)
left join current_fees using (chain_id, vault_address)
-- What is only known by address counts once, for the vault that the address stands for.
left join mart.vault_addresses as addresses using (chain_id, vault_address)
left join annualized on addresses.vault_address = annualized.vault_address
left join summaries
    on
        vaults.vault_address = summaries.vault_address
        and vaults.chain_id = coalesce(summaries.chain_id, addresses.chain_id)
left join withdrawals using (chain_id, vault_address)
left join queued using (chain_id, vault_address)
left join mart.withdrawal_totals as totals using (chain_id, vault_address)
left join owners using (chain_id, vault_address)
left join role_warnings using (chain_id, vault_address)
left join timelocks using (chain_id, vault_address)
left join newest_classified using (chain_id, vault_address)
left join vault_health using (chain_id, vault_address)
left join newest_audit using (chain_id, vault_address)
left join reported_metrics using (chain_id, vault_address)
left join newest_ratio on addresses.vault_address = newest_ratio.vault_address
left join newest_pnl on addresses.vault_address = newest_pnl.vault_address
left join newest_apy on addresses.vault_address = newest_apy.vault_address
left join newest_allocation using (chain_id, vault_address)
where vaults.is_current
