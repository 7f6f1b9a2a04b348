with

ratios as (
    select
        vault_address,
        day,
        supply,
        collateral_ratio_close as close
    from mart.ratio_days
),

yields as (
    select vault_address, day, apy_unsmoothed
    from mart.apy_daily
),

-- The newest snapshot of the day, of the chain that the address stands for.
values_of_days as (
    select snapshots.vault_address, snapshots.day, snapshots.nav_usd
    from mart.position_days as snapshots
    inner join mart.vault_addresses as vaults using (chain_id, vault_address)
),

days as (
    select
        vault_address,
        day,
        ratios.supply,
        ratios.close,
        yields.apy_unsmoothed,
        -- Null where there is no ratio to compare with, the day before has none, or it is missing.
        case when lag(day) over vault = day - 1 then close / nullif(lag(close) over vault, 0) - 1 end
            as return_1d,
        case
            when close > 0 and lag(close) over vault > 0 and lag(day) over vault = day - 1
                then ln(close) - ln(lag(close) over vault)
        end as log_change,
        -- A yield of -1 or less has no daily rate.
        case when apy_unsmoothed > -1 then exp(ln(1 + apy_unsmoothed) / 365) - 1 end as apy_return_1d
    from ratios
    full join yields using (vault_address, day)
    window vault as (partition by vault_address order by day)
),

-- Sums of decimals are exact. Those of doubles would depend on the order in which a window adds them up.
rolling as (
    select
        *,
        count(log_change) over last_30d as changes_30d,
        sum(log_change::decimal(38, 28)) over last_30d as sum_30d,
        sum((log_change * log_change)::decimal(38, 28)) over last_30d as squares_30d,
        count(log_change) over last_90d as changes_90d,
        sum(log_change::decimal(38, 28)) over last_90d as sum_90d,
        sum((log_change * log_change)::decimal(38, 28)) over last_90d as squares_90d
    from days
    window
        last_30d as (
            partition by vault_address
            order by day
            rows between 29 preceding and current row
        ),
        last_90d as (
            partition by vault_address
            order by day
            rows between 89 preceding and current row
        )
),

-- The first fees that were recorded stand for the days before them, and the column is_fee_assumed says so. The weekly fee
-- alone is in the vault list, which may be read before them.
fees as (
    select
        chain_id,
        vault_address,
        valid_from as recorded_from,
        valid_to,
        management_fee_pct,
        performance_fee_pct,
        case
            when row_number() over (partition by chain_id, vault_address order by valid_from) = 1
                then timestamp '1970-01-01'
            else valid_from
        end as applies_from
    from mart.fee_schedule
    where management_fee_pct is not null or performance_fee_pct is not null
),

named as (
    select
        rolling.*,
        vaults.chain_id,
        vaults.vault_name,
        values_of_days.nav_usd,
        rolling.day::timestamp + interval 1 day as ends_at
    from rolling
    left join mart.vault_addresses as vaults using (vault_address)
    left join values_of_days using (vault_address, day)
),

charged as (
    select
        named.*,
        -- The fees in force at the end of the day.
        case when fees.valid_to is null or fees.valid_to >= named.ends_at then fees.management_fee_pct end
            as management_fee_pct,
        case when fees.valid_to is null or fees.valid_to >= named.ends_at then fees.performance_fee_pct end
            as performance_fee_pct,
        fees.recorded_from >= named.ends_at as is_fee_assumed
    from named
    asof left join fees
        on
            named.chain_id = fees.chain_id
            and named.vault_address = fees.vault_address
            and named.ends_at > fees.applies_from
),

accrued as (
    select
        *,
        management_fee_pct / 100 / 365 as management_fee_1d,
        -- Only of what the management fee leaves above zero. greatest() would skip a null.
        case
            when apy_return_1d - management_fee_pct / 100 / 365 > 0
                then (apy_return_1d - management_fee_pct / 100 / 365) * performance_fee_pct / 100
            when apy_return_1d is not null and management_fee_pct is not null
                then performance_fee_pct * 0
        end as performance_fee_1d
    from charged
)

select
    vault_address,
    day,
    chain_id,
    vault_name,
    close as collateral_ratio_close,
    return_1d,
    apy_return_1d,
    (1 + return_1d) * (1 + apy_return_1d) - 1 as holder_return_1d,
    management_fee_pct,
    performance_fee_pct,
    is_fee_assumed,
    management_fee_1d,
    performance_fee_1d,
    apy_return_1d - management_fee_1d - performance_fee_1d as net_apy_return_1d,
    (1 + return_1d) * (1 + apy_return_1d - management_fee_1d - performance_fee_1d) - 1
        as net_holder_return_1d,
    supply * (management_fee_1d + performance_fee_1d) as fees,
    nav_usd * (management_fee_1d + performance_fee_1d) as fees_usd,
    -- The sample's deviation from its sums. Rounding may leave less than nothing of a ratio that grows evenly.
    case
        when changes_30d = 30
            then sqrt(greatest(squares_30d::double - sum_30d::double * sum_30d::double / 30, 0) / 29 * 365)
    end as volatility_30d,
    case
        when changes_90d = 90
            then sqrt(greatest(squares_90d::double - sum_90d::double * sum_90d::double / 90, 0) / 89 * 365)
    end as volatility_90d
from accrued
