with

-- The newest pair of each is one of up to today.
today as (select now_at::date as today from mart.clock),

vaults as (select * from core.vaults where is_current),

-- When current rows were last confirmed.
responded as (
    select pipeline, vault_address, chain_id, max(responded_at) as responded_at
    from mart.last_read
    where
        pipeline in ('vaults', 'vault_summaries', 'annualized_apy')
        and responded_at is not null
    group by pipeline, vault_address, chain_id
),

-- What is only known by address is compared for the vault that the address stands for, while it is listed.
addresses as (select * from mart.vault_addresses where is_listed),

-- US dollars for one unit of the vault's asset, by the newest PnL that the service gives in both. Of a PnL near zero the price
-- would be mostly rounding, as in the check pnl_price.
priced_days as (
    select vault_address, day, pnl_usd_close / pnl_in_asset_close as price
    from mart.pnl_days as days
    inner join today on day <= today
    where pnl_usd_close / nullif(pnl_in_asset_close, 0) > 0
    qualify abs(pnl_in_asset_close)
    > 0.01 * median(abs(pnl_in_asset_close)) over (partition by vault_address)
),

prices as (
    select vault_address, arg_max(price, day) as price
    from priced_days
    group by vault_address
),

-- What a vault holds, part by part and day by day.
holdings as (
    select 'allocations_nav' as comparison, chain_id, vault_address, date as day, value
    from core.allocation_history
    union all
    select
        'oracle_classification_nav' as comparison,
        chain_id,
        vault_address,
        date as day,
        usd_value as value
    from core.oracle_classification
),

summary_allocations as (select * from core.vault_summary_allocations where is_current),

listed_metrics as (select * from core.vault_reported_metrics where is_current),

annualized as (
    select
        'annualized_apy_series' as comparison,
        vault_address,
        7 as days,
        liquid_apy_7_day as sent,
        valid_from
    from core.annualized_apy
    where is_current
    union all
    select
        'annualized_apy_series_30d' as comparison,
        vault_address,
        30 as days,
        liquid_apy_30_day as sent,
        valid_from
    from core.annualized_apy
    where is_current
),

apy_days as (
    select
        vault_address,
        date as day,
        apy as apy_unsmoothed,
        max(date) over (partition by vault_address) as last_day
    from core.apy_history
    inner join today on date <= today
    where apy is not null and not is_smoothed and averaging_period_days = 7
),

withdrawals as (select * from core.withdrawal_summaries where is_current),

withdrawal_requests as (select * from core.withdrawal_requests where is_current),

newest_snapshots as (
    select days.*
    from mart.position_days as days
    inner join today on day <= today
    qualify row_number() over (partition by chain_id, vault_address order by day desc) = 1
),

newest_points as (
    select addresses.chain_id, points.*
    from core.ratio_history as points
    semi join (
        select vault_address, max(last_at) as observed_at
        from mart.ratio_days
        inner join today on day <= today
        group by vault_address
    ) using (vault_address, observed_at)
    inner join addresses using (vault_address)
),

-- Only the two days before the newest snapshot, not all of history.
ratio_hours as (
    select
        newest.chain_id,
        newest.vault_address,
        date_trunc('hour', ratio_points.observed_at)::timestamp as hour_at,
        arg_max(ratio_points.adjusted_redeem_ratio, ratio_points.observed_at)
            as adjusted_redeem_ratio
    from newest_snapshots as newest
    inner join addresses using (chain_id, vault_address)
    inner join core.ratio_history as ratio_points
        on
            newest.vault_address = ratio_points.vault_address
            and newest.snapshot_at - interval 2 day <= ratio_points.observed_at
    group by newest.chain_id, newest.vault_address, hour_at
),

nav_and_ratio as (
    select
        snapshots.chain_id,
        snapshots.vault_address,
        snapshots.snapshot_at,
        snapshots.total_nav / nullif(snapshots.reported_tvl, 0) as nav_ratio,
        ratio_hours.adjusted_redeem_ratio
    from core.position_snapshots as snapshots
    inner join ratio_hours
        on
            snapshots.chain_id = ratio_hours.chain_id
            and snapshots.vault_address = ratio_hours.vault_address
            and date_trunc('hour', snapshots.snapshot_at)::timestamp = ratio_hours.hour_at
    inner join today on ratio_hours.hour_at::date <= today
    qualify row_number() over (
        partition by snapshots.chain_id, snapshots.vault_address
        order by snapshots.snapshot_at desc
    ) = 1
),

-- Only where every part has a value: the sum of some parts is not the total.
holding_days as (
    select
        comparison,
        chain_id,
        vault_address,
        day,
        case when count(value) = count(*) then sum(value order by value) end as value
    from holdings
    group by comparison, chain_id, vault_address, day
),

holdings_and_nav as (
    select
        holding_days.comparison,
        holding_days.chain_id,
        holding_days.vault_address,
        snapshots.snapshot_at,
        holding_days.value,
        snapshots.nav_usd,
        -- Of the newest pair without a zero, which has no unit: the last pair of a vault that was wound down.
        arg_max(nullif(holding_days.value, 0) / nullif(snapshots.nav_usd, 0), holding_days.day)
            over vault_days as unit_ratio
    from holding_days
    inner join mart.position_days as snapshots using (chain_id, vault_address, day)
    inner join today on holding_days.day <= today
    window vault_days as (
        partition by
            holding_days.comparison, holding_days.chain_id, holding_days.vault_address
    )
    qualify row_number() over (vault_days order by holding_days.day desc) = 1
),

summary_totals as (
    select
        vaults.chain_id,
        vaults.vault_address,
        coalesce(max(responded.responded_at), max(summary_allocations.valid_from)) as read_at,
        case
            when count(summary_allocations.value) = count(*)
                then sum(summary_allocations.value order by summary_allocations.value)
        end as value
    from summary_allocations
    left join addresses using (vault_address)
    inner join vaults
        on
            summary_allocations.vault_address = vaults.vault_address
            and coalesce(summary_allocations.chain_id, addresses.chain_id) = vaults.chain_id
    left join responded
        on
            responded.pipeline = 'vault_summaries'
            and vaults.vault_address = responded.vault_address
    group by vaults.chain_id, vaults.vault_address
),

request_totals as (
    select
        chain_id,
        vault_address,
        count(*) as requests,
        case when count(amount) = count(*) then sum(amount order by amount) end as amount
    from withdrawal_requests
    group by chain_id, vault_address
),

-- A yield over several days is compared with the mean of as many daily values: the newest alone is one day's yield.
mean_apys as (
    select
        annualized.comparison,
        annualized.vault_address,
        annualized.sent,
        annualized.valid_from,
        apy_days.last_day,
        avg(apy_days.apy_unsmoothed order by apy_days.apy_unsmoothed) as mean_apy
    from annualized
    inner join apy_days
        on
            annualized.vault_address = apy_days.vault_address
            and apy_days.last_day - annualized.days < apy_days.day
    group by all
    having count(*) = any_value(annualized.days)
),

withdrawal_readings as (
    select withdrawals.*, totals.read_at
    from withdrawals
    inner join mart.withdrawal_totals as totals using (chain_id, vault_address)
),

-- compared_at is the instant of the right figure, or of both; left_at is that of the left one.
compared as (
    select
        'subaccounts_within_nav' as comparison,
        chain_id,
        vault_address,
        snapshot_at as compared_at,
        snapshot_at as left_at,
        -- More than the net asset value is wrong; less leaves the buffer.
        greatest(nav_usd, subaccounts_total_usd) as left_value,
        nav_usd as right_value
    from newest_snapshots
    where nav_usd is not null and subaccounts_total_usd is not null
    union all
    select
        'nav_reported_tvl' as comparison,
        chain_id,
        vault_address,
        snapshot_at as compared_at,
        snapshot_at as left_at,
        nav_usd as left_value,
        reported_tvl as right_value
    from newest_snapshots
    union all
    select
        'listed_tvl_reported_tvl' as comparison,
        newest_snapshots.chain_id,
        newest_snapshots.vault_address,
        newest_snapshots.snapshot_at as compared_at,
        coalesce(responded.responded_at, listed_metrics.valid_from) as left_at,
        listed_metrics.latest_reported_tvl as left_value,
        newest_snapshots.reported_tvl as right_value
    from newest_snapshots
    inner join listed_metrics using (chain_id, vault_address)
    left join responded
        on responded.pipeline = 'vaults'
    union all
    select
        'nav_ratio_collateral_ratio' as comparison,
        chain_id,
        vault_address,
        snapshot_at as compared_at,
        snapshot_at as left_at,
        nav_ratio as left_value,
        adjusted_redeem_ratio as right_value
    from nav_and_ratio
    union all
    select
        'backing_supply_collateral_ratio' as comparison,
        chain_id,
        vault_address,
        observed_at as compared_at,
        observed_at as left_at,
        actual_tvl / nullif(tvl_on_vault, 0) as left_value,
        adjusted_redeem_ratio as right_value
    from newest_points
    union all
    select
        comparison,
        chain_id,
        vault_address,
        snapshot_at as compared_at,
        snapshot_at as left_at,
        value as left_value,
        nav_usd as right_value
    from holdings_and_nav
    union all
    select
        'summary_allocations_nav' as comparison,
        summary_totals.chain_id,
        summary_totals.vault_address,
        newest_snapshots.snapshot_at as compared_at,
        summary_totals.read_at as left_at,
        summary_totals.value as left_value,
        newest_snapshots.nav_usd as right_value
    from summary_totals
    inner join newest_snapshots using (chain_id, vault_address)
    union all
    select
        mean_apys.comparison,
        addresses.chain_id,
        addresses.vault_address,
        mean_apys.last_day::timestamp as compared_at,
        coalesce(responded.responded_at, mean_apys.valid_from) as left_at,
        -- A fraction or a percent: the document leaves it open. Only a figure that is about a hundred times the mean is
        -- taken for a percent: what is larger or smaller is wrong, not of another unit.
        case
            when abs(mean_apys.sent) between 50 * abs(mean_apys.mean_apy) and 200 * abs(mean_apys.mean_apy)
                then mean_apys.sent / 100
            else mean_apys.sent
        end as left_value,
        mean_apys.mean_apy as right_value
    from mean_apys
    inner join addresses using (vault_address)
    left join responded
        on
            responded.pipeline = 'annualized_apy'
            and mean_apys.vault_address = responded.vault_address
    union all
    select
        'withdrawal_requests_sum' as comparison,
        withdrawals.chain_id,
        withdrawals.vault_address,
        withdrawals.valid_from as compared_at,
        withdrawals.valid_from as left_at,
        case when request_totals.requests is null then 0 else request_totals.amount end
            as left_value,
        withdrawals.total_withdrawals as right_value
    from withdrawals
    inner join mart.withdrawal_totals as totals using (chain_id, vault_address)
    left join request_totals using (chain_id, vault_address)
    -- Without a list of requests, or with one that was not read whole, their sum is not known.
    where totals.is_list_complete
    union all
    select
        'total_assets_supply' as comparison,
        withdrawal_readings.chain_id,
        withdrawal_readings.vault_address,
        newest_points.observed_at as compared_at,
        withdrawal_readings.read_at as left_at,
        withdrawal_readings.total_assets as left_value,
        newest_points.tvl_on_vault as right_value
    from withdrawal_readings
    inner join newest_points using (chain_id, vault_address)
),

measured as (
    select
        compared.*,
        rules.unit,
        rules.left_figure,
        rules.right_figure,
        compared.left_value - compared.right_value as difference,
        coalesce(
            rules.absolute_tolerance, rules.relative_tolerance * abs(compared.right_value)
        ) as tolerance,
        abs(coalesce(holdings.unit_ratio, nullif(compared.left_value, 0) / nullif(compared.right_value, 0)))
            as factor,
        -- One may be in dollars and the other in ether, which the service does not say. The price of the asset shows it;
        -- where there is none, a factor of more than a hundred, which no error of a known unit is likely to be.
        coalesce(
            rules.unit = 'as sent'
            and case
                when prices.price is null then factor not between 0.01 and 100
                else
                    prices.price not between 0.5 and 2
                    and (
                        factor / prices.price between 0.5 and 2
                        or factor * prices.price between 0.5 and 2
                    )
            end,
            false
        ) as has_unit_mismatch
    from compared
    inner join mart.comparisons as rules using (comparison)
    left join holdings_and_nav as holdings using (comparison, chain_id, vault_address)
    left join prices on compared.vault_address = prices.vault_address
    where
        compared.left_value is not null
        and compared.right_value is not null
        -- Figures that are weeks apart can't be compared, for example those of a vault that was closed.
        and (
            rules.max_hours_apart is null
            or abs(date_diff('hour', compared.left_at, compared.compared_at))
            <= rules.max_hours_apart
        )
),

joined as (
    select
        measured.*,
        -- Zero is zero in any unit.
        case
            when not has_unit_mismatch or left_value = 0 or right_value = 0
                then abs(difference) <= tolerance
        end as is_within_tolerance,
        vaults.vault_name
    from measured
    left join vaults using (chain_id, vault_address)
)

select
    chain_id,
    vault_address,
    comparison,
    vault_name,
    compared_at,
    left_figure,
    right_figure,
    unit,
    left_value,
    right_value,
    difference,
    difference / nullif(abs(right_value), 0) as relative_difference,
    tolerance,
    is_within_tolerance,
    has_unit_mismatch
from joined
