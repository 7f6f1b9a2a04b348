with

vaults as (
    select
        chain_id,
        vault_address,
        vault_name,
        chain_type,
        status,
        receipt_token_symbol,
        started_at
    from core.vaults
    where is_current
),

reported_metrics as (
    select
        chain_id,
        vault_address,
        latest_reported_tvl,
        valid_from
    from core.vault_reported_metrics
    where is_current
),

-- The newest instant first and its row by a join: a third of the time of a window over all rows.
newest_ratio_at as (
    select
        vault_address,
        max(observed_at) as observed_at
    from core.ratio_history
    group by vault_address
),

newest_ratio as (
    select
        ratio.vault_address,
        ratio.observed_at,
        ratio.actual_tvl,
        ratio.tvl_on_vault,
        ratio.adjusted_redeem_ratio
    from core.ratio_history as ratio
    inner join newest_ratio_at
        on
            ratio.vault_address = newest_ratio_at.vault_address
            and ratio.observed_at = newest_ratio_at.observed_at
),

newest_pnl_at as (
    select
        vault_address,
        max(snapshot_at) as snapshot_at
    from core.pnl_history
    group by vault_address
),

newest_pnl as (
    select
        pnl.vault_address,
        pnl.snapshot_at,
        pnl.unrealized_pnl,
        pnl.unrealized_pnl_in_asset
    from core.pnl_history as pnl
    inner join newest_pnl_at
        on
            pnl.vault_address = newest_pnl_at.vault_address
            and pnl.snapshot_at = newest_pnl_at.snapshot_at
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

newest_allocation_day as (
    select
        chain_id,
        vault_address,
        max(date) as date
    from core.allocation_history
    group by chain_id, vault_address
),

newest_allocation as (
    select
        allocation.chain_id,
        allocation.vault_address,
        allocation.date,
        allocation.protocol,
        allocation.value,
        -- Shares come as fractions or as percent: only their proportion is used, and only where a
        -- day has no value at all.
        case
            when count(allocation.value) over vault > 0 then allocation.value
            else allocation.share
        end as weight
    from core.allocation_history as allocation
    inner join newest_allocation_day
        on
            allocation.chain_id = newest_allocation_day.chain_id
            and allocation.vault_address = newest_allocation_day.vault_address
            and allocation.date = newest_allocation_day.date
    window vault as (partition by allocation.chain_id, allocation.vault_address)
),

allocated as (
    select
        chain_id,
        vault_address,
        max(date) as date,
        sum(value) as value,
        -- Between equal weights the first name wins, so that the answer is the same each time.
        first(protocol order by weight desc nulls last, protocol)
            filter (weight is not null) as top_protocol,
        case when sum(weight) > 0 then max(weight) / sum(weight) end as top_protocol_share
    from newest_allocation
    group by chain_id, vault_address
),

clock as (
    -- UTC whatever the session's time zone, and without the icu extension.
    select make_timestamp(epoch_us(now())) as now_at
),

joined as (
    select
        vaults.chain_id,
        vaults.vault_address,
        vaults.vault_name,
        vaults.chain_type,
        vaults.status,
        vaults.receipt_token_symbol,
        vaults.started_at,
        reported_metrics.latest_reported_tvl as reported_tvl,
        reported_metrics.valid_from as reported_tvl_since_at,
        newest_ratio.actual_tvl as backing,
        newest_ratio.tvl_on_vault as supply,
        newest_ratio.adjusted_redeem_ratio as collateral_ratio,
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
        allocated.date as allocation_on,
        date_diff('day', allocated.date, clock.now_at::date) as allocation_age_days,
        allocated.value as allocated_value,
        allocated.top_protocol,
        allocated.top_protocol_share
    from vaults
    cross join clock
    left join reported_metrics
        on
            vaults.chain_id = reported_metrics.chain_id
            and vaults.vault_address = reported_metrics.vault_address
    left join newest_ratio
        on vaults.vault_address = newest_ratio.vault_address
    left join newest_pnl
        on vaults.vault_address = newest_pnl.vault_address
    left join newest_apy
        on vaults.vault_address = newest_apy.vault_address
    left join allocated
        on
            vaults.chain_id = allocated.chain_id
            and vaults.vault_address = allocated.vault_address
)

select
    chain_id::bigint as chain_id,
    vault_address::varchar as vault_address,
    vault_name::varchar as vault_name,
    chain_type::varchar as chain_type,
    status::varchar as status,
    receipt_token_symbol::varchar as receipt_token_symbol,
    started_at::timestamp as started_at,
    reported_tvl::double as reported_tvl,
    reported_tvl_since_at::timestamp as reported_tvl_since_at,
    backing::double as backing,
    supply::double as supply,
    collateral_ratio::double as collateral_ratio,
    ratio_at::timestamp as ratio_at,
    ratio_age_hours::double as ratio_age_hours,
    pnl_usd::double as pnl_usd,
    pnl_in_asset::double as pnl_in_asset,
    pnl_at::timestamp as pnl_at,
    pnl_age_hours::double as pnl_age_hours,
    apy_smoothed::double as apy_smoothed,
    apy_smoothed_on::date as apy_smoothed_on,
    apy_smoothed_age_days::integer as apy_smoothed_age_days,
    apy_unsmoothed::double as apy_unsmoothed,
    apy_unsmoothed_on::date as apy_unsmoothed_on,
    apy_unsmoothed_age_days::integer as apy_unsmoothed_age_days,
    allocation_on::date as allocation_on,
    allocation_age_days::integer as allocation_age_days,
    allocated_value::double as allocated_value,
    top_protocol::varchar as top_protocol,
    top_protocol_share::double as top_protocol_share
from joined
