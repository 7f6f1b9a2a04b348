with

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from core.vaults
    where is_current
),

snapshots as (
    select
        chain_id,
        vault_address,
        snapshot_at,
        total_nav,
        reported_tvl,
        subaccounts_total_usd
    from core.position_snapshots
),

subaccount_positions as (
    select
        chain_id,
        vault_address,
        snapshot_at,
        total_usd
    from core.position_subaccounts
),

ratio_points as (
    select
        vault_address,
        observed_at,
        actual_tvl,
        tvl_on_vault,
        adjusted_redeem_ratio
    from core.ratio_history
),

allocations as (
    select
        chain_id,
        vault_address,
        date as day,
        value
    from core.allocation_history
),

classified as (
    select
        chain_id,
        vault_address,
        date as day,
        usd_value
    from core.oracle_classification
),

summary_allocations as (
    select
        vault_address,
        chain_id,
        value,
        valid_from
    from core.vault_summary_allocations
    where is_current
),

listed_metrics as (
    select
        chain_id,
        vault_address,
        latest_reported_tvl
    from core.vault_reported_metrics
    where is_current
),

annualized as (
    select
        vault_address,
        liquid_apy_7_day,
        liquid_apy_30_day,
        valid_from
    from core.annualized_apy
    where is_current
),

apy_days as (
    select
        vault_address,
        day,
        apy_unsmoothed
    from mart.apy_daily
    where apy_unsmoothed is not null and apy_unsmoothed_period_days = 7
),

withdrawals as (
    select
        chain_id,
        vault_address,
        total_withdrawals,
        total_assets,
        pending_requests,
        valid_from
    from core.withdrawal_summaries
    where is_current
),

withdrawal_requests as (
    select
        chain_id,
        vault_address,
        amount
    from core.withdrawal_requests
    where is_current
),

newest_snapshots as (
    select *
    from snapshots
    qualify
        row_number() over (partition by chain_id, vault_address order by snapshot_at desc) = 1
),

newest_points as (
    select ratio_points.*
    from ratio_points
    inner join (
        select
            vault_address,
            max(observed_at) as observed_at
        from ratio_points
        group by vault_address
    ) as newest
        on
            ratio_points.vault_address = newest.vault_address
            and ratio_points.observed_at = newest.observed_at
),

-- The newest snapshot of each day, to set the day's figures against.
snapshot_days as (
    select
        *,
        snapshot_at::date as day
    from snapshots
    qualify
        row_number() over (
            partition by chain_id, vault_address, snapshot_at::date
            order by snapshot_at desc
        ) = 1
),

-- Only where every subaccount has a value: a part of a total says nothing about it.
position_totals as (
    select
        chain_id,
        vault_address,
        snapshot_at,
        case when count(total_usd) = count(*) then sum(total_usd) end as total_usd
    from subaccount_positions
    group by chain_id, vault_address, snapshot_at
),

-- Of the two days before the newest snapshot, not of all of history.
ratio_hours as (
    select
        ratio_points.vault_address,
        date_trunc('hour', ratio_points.observed_at)::timestamp as hour_at,
        arg_max(ratio_points.adjusted_redeem_ratio, ratio_points.observed_at)
            as adjusted_redeem_ratio
    from ratio_points
    inner join (
        select
            vault_address,
            max(snapshot_at) as snapshot_at
        from newest_snapshots
        group by vault_address
    ) as newest
        on
            ratio_points.vault_address = newest.vault_address
            and ratio_points.observed_at >= newest.snapshot_at - interval 2 day
    group by ratio_points.vault_address, hour_at
),

nav_and_ratio as (
    select
        snapshots.chain_id,
        snapshots.vault_address,
        snapshots.snapshot_at,
        snapshots.total_nav / nullif(snapshots.reported_tvl, 0) as nav_ratio,
        ratio_hours.adjusted_redeem_ratio
    from snapshots
    inner join ratio_hours
        on
            snapshots.vault_address = ratio_hours.vault_address
            and date_trunc('hour', snapshots.snapshot_at)::timestamp = ratio_hours.hour_at
    qualify
        row_number() over (
            partition by snapshots.chain_id, snapshots.vault_address
            order by snapshots.snapshot_at desc
        ) = 1
),

allocation_days as (
    select
        chain_id,
        vault_address,
        day,
        case when count(value) = count(*) then sum(value) end as value
    from allocations
    group by chain_id, vault_address, day
),

allocation_and_nav as (
    select
        allocation_days.chain_id,
        allocation_days.vault_address,
        snapshot_days.snapshot_at,
        allocation_days.value,
        snapshot_days.total_nav
    from allocation_days
    inner join snapshot_days
        on
            allocation_days.chain_id = snapshot_days.chain_id
            and allocation_days.vault_address = snapshot_days.vault_address
            and allocation_days.day = snapshot_days.day
    qualify
        row_number() over (
            partition by allocation_days.chain_id, allocation_days.vault_address
            order by allocation_days.day desc
        ) = 1
),

classified_days as (
    select
        chain_id,
        vault_address,
        day,
        case when count(usd_value) = count(*) then sum(usd_value) end as usd_value
    from classified
    group by chain_id, vault_address, day
),

classified_and_nav as (
    select
        classified_days.chain_id,
        classified_days.vault_address,
        snapshot_days.snapshot_at,
        classified_days.usd_value,
        snapshot_days.total_nav
    from classified_days
    inner join snapshot_days
        on
            classified_days.chain_id = snapshot_days.chain_id
            and classified_days.vault_address = snapshot_days.vault_address
            and classified_days.day = snapshot_days.day
    qualify
        row_number() over (
            partition by classified_days.chain_id, classified_days.vault_address
            order by classified_days.day desc
        ) = 1
),

summary_totals as (
    select
        vaults.chain_id,
        vaults.vault_address,
        max(summary_allocations.valid_from) as read_at,
        case
            when count(summary_allocations.value) = count(*) then sum(summary_allocations.value)
        end as value
    from summary_allocations
    inner join vaults
        on
            summary_allocations.vault_address = vaults.vault_address
            and coalesce(summary_allocations.chain_id, vaults.chain_id) = vaults.chain_id
    group by vaults.chain_id, vaults.vault_address
),

request_totals as (
    select
        chain_id,
        vault_address,
        count(*) as requests,
        case when count(amount) = count(*) then sum(amount) end as amount
    from withdrawal_requests
    group by chain_id, vault_address
),

-- A yield over so many days against the mean of as many daily values: the newest alone is one day's yield.
dated_apy_days as (
    select
        vault_address,
        day,
        apy_unsmoothed,
        max(day) over (partition by vault_address) as last_day
    from apy_days
),

mean_apys as (
    select
        vault_address,
        last_day,
        count(*) filter (day > last_day - 7) as days_7d,
        avg(apy_unsmoothed) filter (day > last_day - 7) as apy_7d,
        count(*) filter (day > last_day - 30) as days_30d,
        avg(apy_unsmoothed) filter (day > last_day - 30) as apy_30d
    from dated_apy_days
    group by vault_address, last_day
),

-- Tolerances: 1e-6 where one figure is the sum of the other's parts, 1% where one instant is
-- told twice, 5% where readings or valuations are hours apart; yields by half a percentage point.
compared as (
    select
        newest_snapshots.chain_id,
        newest_snapshots.vault_address,
        'subaccounts_sum' as comparison,
        newest_snapshots.snapshot_at as compared_at,
        'USD' as unit,
        position_totals.total_usd as left_value,
        newest_snapshots.subaccounts_total_usd as right_value,
        0.000001 as relative_tolerance,
        null::double as absolute_tolerance
    from newest_snapshots
    inner join position_totals
        on
            newest_snapshots.chain_id = position_totals.chain_id
            and newest_snapshots.vault_address = position_totals.vault_address
            and newest_snapshots.snapshot_at = position_totals.snapshot_at
    union all
    select
        chain_id,
        vault_address,
        'subaccounts_within_nav' as comparison,
        snapshot_at as compared_at,
        'USD' as unit,
        -- What exceeds the net asset value is wrong, what falls short of it is the buffer.
        greatest(total_nav, subaccounts_total_usd) as left_value,
        total_nav as right_value,
        0.01 as relative_tolerance,
        null::double as absolute_tolerance
    from newest_snapshots
    where total_nav is not null and subaccounts_total_usd is not null
    union all
    select
        chain_id,
        vault_address,
        'nav_reported_tvl' as comparison,
        snapshot_at as compared_at,
        'as served' as unit,
        total_nav as left_value,
        reported_tvl as right_value,
        0.05 as relative_tolerance,
        null::double as absolute_tolerance
    from newest_snapshots
    union all
    select
        newest_snapshots.chain_id,
        newest_snapshots.vault_address,
        'listed_tvl_reported_tvl' as comparison,
        newest_snapshots.snapshot_at as compared_at,
        'as served' as unit,
        listed_metrics.latest_reported_tvl as left_value,
        newest_snapshots.reported_tvl as right_value,
        0.05 as relative_tolerance,
        null::double as absolute_tolerance
    from newest_snapshots
    inner join listed_metrics
        on
            newest_snapshots.chain_id = listed_metrics.chain_id
            and newest_snapshots.vault_address = listed_metrics.vault_address
    union all
    select
        chain_id,
        vault_address,
        'nav_ratio_collateral_ratio' as comparison,
        snapshot_at as compared_at,
        'as served' as unit,
        nav_ratio as left_value,
        adjusted_redeem_ratio as right_value,
        0.01 as relative_tolerance,
        null::double as absolute_tolerance
    from nav_and_ratio
    union all
    select
        vaults.chain_id,
        vaults.vault_address,
        'backing_supply_collateral_ratio' as comparison,
        newest_points.observed_at as compared_at,
        'fraction' as unit,
        newest_points.actual_tvl / nullif(newest_points.tvl_on_vault, 0) as left_value,
        newest_points.adjusted_redeem_ratio as right_value,
        0.01 as relative_tolerance,
        null::double as absolute_tolerance
    from newest_points
    inner join vaults
        on newest_points.vault_address = vaults.vault_address
    union all
    select
        chain_id,
        vault_address,
        'allocations_nav' as comparison,
        snapshot_at as compared_at,
        'USD' as unit,
        value as left_value,
        total_nav as right_value,
        0.05 as relative_tolerance,
        null::double as absolute_tolerance
    from allocation_and_nav
    union all
    select
        chain_id,
        vault_address,
        'oracle_classification_nav' as comparison,
        snapshot_at as compared_at,
        'USD' as unit,
        usd_value as left_value,
        total_nav as right_value,
        0.05 as relative_tolerance,
        null::double as absolute_tolerance
    from classified_and_nav
    union all
    select
        summary_totals.chain_id,
        summary_totals.vault_address,
        'summary_allocations_nav' as comparison,
        newest_snapshots.snapshot_at as compared_at,
        'USD' as unit,
        summary_totals.value as left_value,
        newest_snapshots.total_nav as right_value,
        0.05 as relative_tolerance,
        null::double as absolute_tolerance
    from summary_totals
    inner join newest_snapshots
        on
            summary_totals.chain_id = newest_snapshots.chain_id
            and summary_totals.vault_address = newest_snapshots.vault_address
    union all
    select
        vaults.chain_id,
        vaults.vault_address,
        'annualized_apy_series' as comparison,
        mean_apys.last_day::timestamp as compared_at,
        'fraction' as unit,
        annualized.liquid_apy_7_day as left_value,
        mean_apys.apy_7d as right_value,
        null::double as relative_tolerance,
        0.005 as absolute_tolerance
    from annualized
    inner join vaults
        on annualized.vault_address = vaults.vault_address
    inner join mean_apys
        on annualized.vault_address = mean_apys.vault_address
    where mean_apys.days_7d = 7
    union all
    select
        vaults.chain_id,
        vaults.vault_address,
        'annualized_apy_series_30d' as comparison,
        mean_apys.last_day::timestamp as compared_at,
        'fraction' as unit,
        annualized.liquid_apy_30_day as left_value,
        mean_apys.apy_30d as right_value,
        null::double as relative_tolerance,
        0.005 as absolute_tolerance
    from annualized
    inner join vaults
        on annualized.vault_address = vaults.vault_address
    inner join mean_apys
        on annualized.vault_address = mean_apys.vault_address
    where mean_apys.days_30d = 30
    union all
    select
        withdrawals.chain_id,
        withdrawals.vault_address,
        'withdrawal_requests_sum' as comparison,
        withdrawals.valid_from as compared_at,
        'the vault''s underlying asset' as unit,
        case when request_totals.requests is null then 0 else request_totals.amount end
            as left_value,
        withdrawals.total_withdrawals as right_value,
        0.000001 as relative_tolerance,
        null::double as absolute_tolerance
    from withdrawals
    left join request_totals
        on
            withdrawals.chain_id = request_totals.chain_id
            and withdrawals.vault_address = request_totals.vault_address
    -- Without a list of requests their sum is not known.
    where withdrawals.pending_requests is not null
    union all
    select
        withdrawals.chain_id,
        withdrawals.vault_address,
        'total_assets_supply' as comparison,
        newest_points.observed_at as compared_at,
        'as served' as unit,
        withdrawals.total_assets as left_value,
        newest_points.tvl_on_vault as right_value,
        0.05 as relative_tolerance,
        null::double as absolute_tolerance
    from withdrawals
    inner join newest_points
        on withdrawals.vault_address = newest_points.vault_address
),

measured as (
    select
        *,
        left_value - right_value as difference,
        coalesce(absolute_tolerance, relative_tolerance * abs(right_value)) as tolerance,
        -- Dollars against ether, say: the service does not tell which, the size does.
        unit = 'as served'
        and not abs(left_value) between abs(right_value) / 10 and abs(right_value) * 10
            as is_of_other_units
    from compared
    where left_value is not null and right_value is not null
),

joined as (
    select
        measured.*,
        case when not is_of_other_units then abs(difference) <= tolerance end
            as is_within_tolerance,
        vaults.vault_name
    from measured
    left join vaults
        on measured.chain_id = vaults.chain_id and measured.vault_address = vaults.vault_address
)

select
    chain_id::bigint as chain_id,
    vault_address::varchar as vault_address,
    comparison::varchar as comparison,
    vault_name::varchar as vault_name,
    compared_at::timestamp as compared_at,
    unit::varchar as unit,
    left_value::double as left_value,
    right_value::double as right_value,
    difference::double as difference,
    (difference / nullif(abs(right_value), 0))::double as relative_difference,
    tolerance::double as tolerance,
    is_within_tolerance::boolean as is_within_tolerance
from joined
