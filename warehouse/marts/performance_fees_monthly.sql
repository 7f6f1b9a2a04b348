with

-- The months to date only: what they came to when they were last read in their month.
versions as (
    select
        vault_address,
        is_native_denominated,
        annualized_fees_pct,
        total_perf_fees_asset,
        valid_from,
        valid_to
    from core.performance_fees
    where calculation_period = 'MonthToDate'
),

subjects as (
    select distinct vault_address, is_native_denominated, annualized_fees_pct
    from versions
),

readings as (
    select vault_address, finished_at as read_at
    from ops.tasks
    where
        pipeline = 'performance_fees'
        and "window" = 'MonthToDate'
        -- An absence (§7) is no reading.
        and (outcome in ('loaded', 'unchanged') or outcome = 'empty' and error_tag is null)
    union all
    select vault_address, valid_from as read_at
    from versions
),

months as (
    select
        vault_address,
        date_trunc('month', read_at)::date as month,
        max(read_at) as read_at
    from readings
    where
        vault_address is not null
        -- Earlier it may be the month before's: the service caches a response for 20 minutes (§8).
        and read_at > date_trunc('month', read_at) + interval 20 minutes
    group by vault_address, date_trunc('month', read_at)::date
),

read_months as (
    select months.*, subjects.is_native_denominated, subjects.annualized_fees_pct
    from months
    inner join subjects using (vault_address)
),

reported as (
    select
        read_months.*,
        case when coalesce(versions.valid_to > read_months.read_at, true) then versions.total_perf_fees_asset end
            as performance_fees
    from read_months
    asof inner join versions
        on
            read_months.vault_address = versions.vault_address
            and read_months.is_native_denominated = versions.is_native_denominated
            and read_months.annualized_fees_pct = versions.annualized_fees_pct
            and read_months.read_at >= versions.valid_from
),

named as (
    select reported.*, vaults.chain_id, vaults.vault_name
    from reported
    left join mart.vault_addresses as vaults using (vault_address)
),

rated as (
    select
        named.*,
        case when fees.valid_to is null or fees.valid_to > named.read_at then fees.performance_fee_pct end
            as performance_fee_pct
    from named
    asof left join mart.fee_schedule as fees
        on
            named.chain_id = fees.chain_id
            and named.vault_address = fees.vault_address
            and named.read_at >= fees.valid_from
),

-- What one unit of the vault's asset was worth: both amounts of one PnL snapshot. Of a PnL near zero the price would be
-- mostly rounding, as in the check pnl_price.
prices as (
    select
        vault_address,
        snapshot_at,
        unrealized_pnl / unrealized_pnl_in_asset as price_usd
    from core.pnl_history as snapshots
    where unrealized_pnl / nullif(unrealized_pnl_in_asset, 0) > 0
    qualify abs(unrealized_pnl_in_asset)
    > 0.01 * median(abs(unrealized_pnl_in_asset)) over (partition by vault_address)
),

priced as (
    select
        rated.*,
        case when rated.is_native_denominated then prices.price_usd end as asset_price_usd,
        case when rated.is_native_denominated then prices.snapshot_at end as asset_priced_at
    from rated
    asof left join prices
        on rated.vault_address = prices.vault_address and rated.read_at >= prices.snapshot_at
)

select
    rated.vault_address,
    rated.month,
    rated.is_native_denominated,
    rated.annualized_fees_pct,
    rated.chain_id,
    rated.vault_name,
    rated.performance_fees,
    rated.performance_fee_pct,
    rated.performance_fees * rated.performance_fee_pct / nullif(rated.annualized_fees_pct, 0)
        as performance_fees_at_own_rate,
    rated.performance_fees * rated.performance_fee_pct / nullif(rated.annualized_fees_pct, 0) * rated.asset_price_usd
        as performance_fees_usd,
    rated.asset_price_usd,
    rated.asset_priced_at,
    rated.read_at,
    clock.now_at >= rated.month + interval 1 month as is_over,
    date_diff('day', rated.read_at::date, (rated.month + interval 1 month)::date) - 1 as days_not_read
from priced as rated
inner join mart.clock on true
