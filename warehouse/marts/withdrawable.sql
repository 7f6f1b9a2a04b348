with

newest_snapshots as (
    select days.*
    from mart.position_days as days
    inner join mart.clock on days.day <= clock.now_at::date
    qualify row_number() over (partition by chain_id, vault_address order by day desc) = 1
),

vaults as (
    select
        vaults.chain_id,
        vaults.vault_address,
        vaults.vault_name,
        vaults.status,
        vaults.is_ended,
        snapshots.snapshot_at as buffer_at,
        snapshots.nav_usd,
        snapshots.buffer_usd,
        queues.vault_address is not null as has_queue,
        queues.pending_requests,
        queues.queue_amount,
        queues.total_assets,
        queues.queue_share,
        queues.read_at
    from mart.vault_lifecycle as vaults
    left join newest_snapshots as snapshots using (chain_id, vault_address)
    left join mart.withdrawal_totals as queues using (chain_id, vault_address)
),

-- A negative buffer pays nothing. greatest() would skip a null.
measured as (
    select
        *,
        queue_share * nav_usd as queue_usd,
        case when buffer_usd - queue_usd is not null then greatest(buffer_usd - queue_usd, 0) end
            as withdrawable_usd,
        case when queue_usd - buffer_usd is not null then greatest(queue_usd - greatest(buffer_usd, 0), 0) end
            as shortfall_usd
    from vaults
)

select
    measured.chain_id,
    measured.vault_address,
    measured.vault_name,
    measured.status,
    measured.is_ended,
    measured.nav_usd,
    measured.buffer_usd,
    measured.buffer_at,
    date_diff('second', measured.buffer_at, clock.now_at) / 3600 as buffer_age_hours,
    measured.pending_requests,
    measured.queue_usd,
    measured.read_at as queue_read_at,
    measured.withdrawable_usd,
    measured.withdrawable_usd / nullif(measured.nav_usd, 0) as withdrawable_share,
    measured.withdrawable_usd / nullif(measured.nav_usd, 0) * measured.total_assets as withdrawable_amount,
    measured.shortfall_usd,
    case
        when measured.withdrawable_usd is not null then null
        when measured.buffer_at is null then 'no position snapshot'
        when measured.buffer_usd is null then 'no buffer in the newest position snapshot'
        when not measured.has_queue then 'no reading of the withdrawals'
        when measured.queue_share is null then 'no total of the queue or of the assets'
        else 'no net asset value in the newest position snapshot'
    end as missing_reason
from measured
inner join mart.clock on true
