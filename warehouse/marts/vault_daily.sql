with

clock as (
    select date_trunc('hour', now_at)::timestamp as this_hour_at, now_at::date as today
    from mart.clock
),

-- Where one address is a vault on several chains, the snapshot is that of the row's vault.
snapshot_days as (
    select snapshots.*
    from mart.position_days as snapshots
    left join mart.vault_addresses as vaults using (vault_address)
    where vaults.chain_id is null or snapshots.chain_id = vaults.chain_id
    qualify row_number() over (
        partition by snapshots.vault_address, snapshots.day
        order by snapshots.snapshot_at desc, snapshots.chain_id
    ) = 1
),

fact_days as (
    select vault_address, day, first_at as first_ratio_at from mart.ratio_days as ratio_days
    union all
    select vault_address, day, null::timestamp as first_ratio_at from mart.pnl_days as pnl_days
    union all
    select vault_address, day, null::timestamp as first_ratio_at from snapshot_days
    union all
    select vault_address, day, null::timestamp as first_ratio_at from mart.apy_daily as apy_days
),

spans as (
    select
        vault_address,
        min(day) as first_day,
        max(day) as last_day,
        date_trunc('hour', min(first_ratio_at))::timestamp as first_ratio_hour_at
    from fact_days
    inner join clock on day <= today
    group by vault_address
),

-- Every day between a vault's first fact and its newest, up to today: a day without facts is a row of nulls.
expected_days as (
    select
        vault_address,
        first_ratio_hour_at,
        unnest(generate_series(first_day::timestamp, last_day::timestamp, interval 1 day))::date
            as day
    from spans
),

joined as (
    select
        expected_days.vault_address,
        expected_days.day,
        vaults.chain_id,
        vaults.vault_name,
        apy_days.apy_smoothed,
        apy_days.apy_smoothed_period_days,
        apy_days.apy_unsmoothed,
        apy_days.apy_unsmoothed_period_days,
        ratio_days.backing,
        ratio_days.supply,
        ratio_days.collateral_ratio_open,
        ratio_days.collateral_ratio_low,
        ratio_days.collateral_ratio_high,
        ratio_days.collateral_ratio_close,
        ratio_days.collateral_ratio_close_at,
        pnl_days.pnl_usd_close as pnl_usd,
        pnl_days.pnl_in_asset_close as pnl_in_asset,
        snapshot_days.nav_usd,
        snapshot_days.reported_tvl,
        snapshot_days.buffer_usd,
        snapshot_days.snapshot_at as nav_at,
        coalesce(bit_count(ratio_days.hours), 0) as hours_present,
        -- From the day's start or the vault's first point, to the day's end or the present: the
        -- present hour counts once its point is there.
        case
            when expected_days.first_ratio_hour_at is null then 0
            else
                greatest(
                    0,
                    date_diff(
                        'hour',
                        greatest(expected_days.day::timestamp, expected_days.first_ratio_hour_at),
                        least(
                            expected_days.day::timestamp + interval 1 day,
                            case
                                when ratio_days.last_at >= clock.this_hour_at
                                    then clock.this_hour_at + interval 1 hour
                                else clock.this_hour_at
                            end
                        )
                    )
                )
        end as hours_expected
    from expected_days
    inner join clock on true
    left join mart.vault_addresses as vaults using (vault_address)
    left join mart.ratio_days as ratio_days using (vault_address, day)
    left join mart.pnl_days as pnl_days using (vault_address, day)
    left join snapshot_days using (vault_address, day)
    left join mart.apy_daily as apy_days using (vault_address, day)
)

select
    vault_address,
    day,
    chain_id,
    vault_name,
    apy_smoothed,
    apy_smoothed_period_days,
    apy_unsmoothed,
    apy_unsmoothed_period_days,
    backing,
    supply,
    collateral_ratio_open,
    collateral_ratio_low,
    collateral_ratio_high,
    collateral_ratio_close,
    collateral_ratio_close_at,
    pnl_usd,
    pnl_in_asset,
    nav_usd,
    reported_tvl,
    buffer_usd,
    buffer_usd / nullif(nav_usd, 0) as buffer_share,
    nav_at,
    hours_present,
    hours_expected,
    hours_present / nullif(hours_expected, 0) as share_of_hours_present
from joined
