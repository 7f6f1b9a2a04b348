with

-- What is dated later is no fact yet, however far the period goes.
today as (select now_at::date as today from mart.clock),

-- Every vault ever listed: a period is also that of the vaults that have left the lists since. What the service gives by
-- address alone is that of every listed vault with the address, and where none is, of the one that it stands for.
vaults as (
    select
        names.chain_id,
        names.vault_address,
        names.vault_name,
        names.status,
        names.is_listed,
        lifecycle.is_ended,
        case when names.is_listed or addresses.vault_address is not null then names.vault_address end
            as facts_address
    from mart.vault_names as names
    left join mart.vault_lifecycle as lifecycle using (chain_id, vault_address)
    left join mart.vault_addresses as addresses using (chain_id, vault_address)
),

address_days as (
    select
        vaults.chain_id,
        days.vault_address,
        days.day,
        days.collateral_ratio_close,
        days.collateral_ratio_low,
        days.apy_smoothed,
        days.apy_unsmoothed,
        days.pnl_usd,
        days.hours_present,
        days.hours_expected
    from mart.vault_daily as days
    inner join vaults on days.vault_address = vaults.facts_address
    where days.day >= coalesce($from_day, date '0001-01-01') and days.day <= coalesce($to_day, date '9999-12-31')
),

-- A net asset value is of the vault on its chain alone.
snapshot_days as (
    select chain_id, vault_address, day, nav_usd
    from mart.position_days
    inner join today on day <= today
    where
        nav_usd is not null
        and day >= coalesce($from_day, date '0001-01-01')
        and day <= coalesce($to_day, date '9999-12-31')
),

days as (
    select
        *,
        collateral_ratio_close is not null
        or apy_smoothed is not null
        or apy_unsmoothed is not null
        or pnl_usd is not null
        or nav_usd is not null as has_data
    from address_days
    full join snapshot_days using (chain_id, vault_address, day)
),

figures as (
    select
        chain_id,
        vault_address,
        min(day) filter (has_data) as first_on,
        max(day) filter (has_data) as last_on,
        count(*) filter (has_data) as days,
        arg_max(collateral_ratio_close, day) as collateral_ratio,
        max(day) filter (collateral_ratio_close is not null) as collateral_ratio_on,
        min(collateral_ratio_low) as collateral_ratio_low,
        count(collateral_ratio_close) as ratio_days,
        avg(apy_smoothed order by apy_smoothed) as apy_smoothed,
        arg_max(apy_smoothed, day) as apy_smoothed_last,
        count(apy_smoothed) as apy_smoothed_days,
        avg(apy_unsmoothed order by apy_unsmoothed) as apy_unsmoothed,
        arg_max(apy_unsmoothed, day) as apy_unsmoothed_last,
        count(apy_unsmoothed) as apy_unsmoothed_days,
        arg_max(pnl_usd, day) as pnl_usd,
        max(day) filter (pnl_usd is not null) as pnl_on,
        arg_max(nav_usd, day) as nav_usd,
        max(day) filter (nav_usd is not null) as nav_on,
        avg(nav_usd order by nav_usd) as nav_usd_average,
        sum(hours_present) as hours_present,
        sum(hours_expected) as hours_expected,
        count(*) filter (hours_expected > 0) as hours_days
    from days
    group by chain_id, vault_address
),

-- The close of the day before the period is where it begins; without one, the first close in it. An older close would
-- bring in what the vault gained before the period.
pnl as (
    select
        vault_address,
        case when count(pnl_usd_close) > 1 then arg_max(pnl_usd_close, day) - arg_min(pnl_usd_close, day) end
            as pnl_usd_change,
        case
            when count(pnl_in_asset_close) > 1
                then arg_max(pnl_in_asset_close, day) - arg_min(pnl_in_asset_close, day)
        end as pnl_in_asset_change,
        case
            when count(pnl_usd_close) > 1
                then
                    max(day) filter (pnl_usd_close is not null)
                    - min(day) filter (pnl_usd_close is not null)
        end as pnl_days
    from mart.pnl_days
    inner join today on day <= today
    where
        day >= coalesce($from_day, date '0001-01-02') - 1
        and day <= coalesce($to_day, date '9999-12-31')
    group by vault_address
),

closes as (
    select
        vault_address,
        day,
        collateral_ratio_close as close,
        bit_count(hours_below_par) as hours_below_par,
        case
            when collateral_ratio_close > 0 and lag(collateral_ratio_close) over vault > 0 and lag(day) over vault = day - 1
                then ln(collateral_ratio_close) - ln(lag(collateral_ratio_close) over vault)
        end as log_change
    from mart.ratio_days
    inner join today on day <= today
    where
        collateral_ratio_close is not null
        and day >= coalesce($from_day, date '0001-01-02') - 1
        and day <= coalesce($to_day, date '9999-12-31')
    window vault as (partition by vault_address order by day)
),

-- The close of the day before the period is where it begins; without one, the first close in it.
ratio as (
    select
        vault_address,
        min(day) as return_from_on,
        max(day) as return_to_on,
        arg_min(close, day) as first_close,
        arg_max(close, day) as last_close,
        count(log_change) as volatility_days,
        stddev_samp(log_change order by log_change) as deviation,
        coalesce(sum(hours_below_par) filter (day >= coalesce($from_day, day)), 0) as hours_below_par
    from closes
    group by vault_address
),

points as (
    select
        vault_address,
        observed_at,
        collateral_ratio,
        max(collateral_ratio) over (partition by vault_address order by observed_at) as highest_so_far
    from mart.ratio_points
    inner join today on observed_at < today + 1
    where
        observed_at >= coalesce($from_day, date '0001-01-01')
        and observed_at < coalesce($to_day, date '9999-12-30') + 1
        and collateral_ratio is not null
),

-- As in mart.vault_performance: hour by hour, from the highest ratio before it, here of the period. The first of equal falls.
falls as (
    select
        vault_address,
        observed_at as trough_at,
        1 - collateral_ratio / highest_so_far as drawdown
    from points
    where highest_so_far > 0
    qualify row_number() over (
        partition by vault_address
        order by 1 - collateral_ratio / highest_so_far desc, observed_at
    ) = 1
),

yields as (
    select
        vault_address,
        product(1 + apy_return_1d order by day) - 1 as apy_return,
        count(apy_return_1d) as apy_return_days
    from mart.vault_returns
    inner join today on day <= today
    where day >= coalesce($from_day, date '0001-01-01') and day <= coalesce($to_day, date '9999-12-31')
    group by vault_address
),

-- At the fees and the net asset value of one of the vaults with the address, and so of that vault alone.
returns as (
    select
        chain_id,
        vault_address,
        -- A factor below 0 compounds to nothing that means anything.
        case when min(1 + net_holder_return_1d) >= 0 then product(1 + net_holder_return_1d order by day) - 1 end
            as net_holder_return,
        case
            when min(1 + holder_return_1d) filter (net_holder_return_1d is not null) >= 0
                then product(1 + holder_return_1d order by day) filter (net_holder_return_1d is not null) - 1
        end as holder_return,
        count(net_holder_return_1d) as net_holder_return_days,
        coalesce(
            bool_or(is_fee_assumed)
                filter (fees is not null or fees_usd is not null or net_holder_return_1d is not null),
            false
        ) as is_fee_assumed,
        sum(fees order by fees) as fees,
        count(fees) as fees_days,
        sum(fees_usd order by fees_usd) as fees_usd,
        count(fees_usd) as fees_usd_days
    from mart.vault_returns
    inner join today on day <= today
    where day >= coalesce($from_day, date '0001-01-01') and day <= coalesce($to_day, date '9999-12-31')
    group by chain_id, vault_address
),

-- As in mart.vault_returns, the first fees that were recorded stand for the time before them.
fee_versions as (
    select
        chain_id,
        vault_address,
        management_fee_pct,
        performance_fee_pct,
        valid_to,
        case
            when row_number() over (partition by chain_id, vault_address order by valid_from) = 1
                then timestamp '1970-01-01'
            else valid_from
        end as applies_from
    from mart.fee_schedule
    where management_fee_pct is not null or performance_fee_pct is not null
),

fees as (
    select chain_id, vault_address, management_fee_pct, performance_fee_pct
    from fee_versions
    where
        applies_from < coalesce($to_day, date '9999-12-30') + 1
        and (valid_to is null or valid_to >= coalesce($to_day, date '9999-12-30') + 1)
),

concentration as (
    select
        chain_id,
        vault_address,
        avg(concentration_hhi order by concentration_hhi) as concentration_hhi,
        arg_max(concentration_hhi, day) as concentration_hhi_last,
        arg_max(top_protocol, day) filter (concentration_hhi is not null) as top_protocol,
        arg_max(top_share, day) filter (concentration_hhi is not null) as top_share,
        max(day) filter (concentration_hhi is not null) as concentration_on,
        count(concentration_hhi) as concentration_days
    from mart.allocation_days
    inner join today on day <= today
    where day >= coalesce($from_day, date '0001-01-01') and day <= coalesce($to_day, date '9999-12-31')
    group by chain_id, vault_address
)

select
    vaults.chain_id,
    vaults.vault_address,
    vaults.vault_name,
    vaults.status,
    vaults.is_listed,
    vaults.is_ended,
    coalesce($from_day, figures.first_on) as period_from,
    coalesce($to_day, figures.last_on) as period_to,
    figures.first_on,
    figures.last_on,
    coalesce(figures.days, 0) as days,
    coalesce($to_day, figures.last_on) - coalesce($from_day, figures.first_on) + 1 - coalesce(figures.days, 0)
        as days_missing,
    coalesce(figures.days < coalesce($to_day, figures.last_on) - coalesce($from_day, figures.first_on) + 1, true)
        as is_partial,
    pnl.pnl_usd_change,
    pnl.pnl_in_asset_change,
    pnl.pnl_days,
    figures.pnl_usd,
    figures.pnl_on,
    case when ratio.return_to_on > ratio.return_from_on then ratio.last_close / nullif(ratio.first_close, 0) - 1 end
        as ratio_return,
    ratio.return_to_on - ratio.return_from_on as ratio_return_days,
    yields.apy_return,
    yields.apy_return_days,
    returns.holder_return,
    returns.net_holder_return,
    returns.net_holder_return_days,
    falls.drawdown,
    case when falls.drawdown > 0 then falls.trough_at end as drawdown_trough_at,
    ratio.deviation * sqrt(365) as volatility,
    ratio.volatility_days,
    figures.apy_smoothed,
    figures.apy_smoothed_last,
    figures.apy_smoothed_days,
    figures.apy_unsmoothed,
    figures.apy_unsmoothed_last,
    figures.apy_unsmoothed_days,
    figures.collateral_ratio,
    figures.collateral_ratio_on,
    figures.collateral_ratio_low,
    figures.ratio_days,
    case when figures.ratio_days > 0 then ratio.hours_below_par end as hours_below_par,
    figures.hours_present,
    figures.hours_expected,
    coalesce(figures.hours_days, 0) as hours_days,
    concentration.concentration_hhi,
    concentration.concentration_hhi_last,
    concentration.top_protocol,
    concentration.top_share,
    concentration.concentration_on,
    concentration.concentration_days,
    figures.nav_usd,
    figures.nav_on,
    figures.nav_usd_average,
    returns.fees,
    returns.fees_days,
    returns.fees_usd,
    returns.fees_usd_days,
    fees.management_fee_pct,
    fees.performance_fee_pct,
    returns.is_fee_assumed
from vaults
left join figures using (chain_id, vault_address)
left join pnl on vaults.facts_address = pnl.vault_address
left join ratio on vaults.facts_address = ratio.vault_address
left join falls on vaults.facts_address = falls.vault_address
left join yields on vaults.facts_address = yields.vault_address
left join returns using (chain_id, vault_address)
left join fees using (chain_id, vault_address)
left join concentration using (chain_id, vault_address)
where vaults.is_listed or figures.days > 0
