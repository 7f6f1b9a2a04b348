-- How much of each vault could be withdrawn now, after those who are already waiting?
-- For an allocator who may have to leave, and a risk officer.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- By what the vault itself holds: the service does not say how soon positions in subaccounts can be sold, so more
-- may be possible. days_short counts the days of the last 90 on which the buffer did not pay the queue, of
-- days_known. Ended vaults are left out, unless one is named. missing_reason says why there is no figure.
with

days as (
    select
        chain_id,
        vault_address,
        count(buffer_usd - queue_usd) as days_known,
        count(*) filter (buffer_usd < queue_usd) as days_short,
        max(queue_share) as highest_queue_share
    from mart.withdrawal_queue_daily
    inner join mart.clock on true
    where day > clock.now_at::date - 90
    group by chain_id, vault_address
)

select
    vaults.vault_name,
    vaults.vault_address,
    vaults.withdrawable_usd,
    vaults.withdrawable_share,
    vaults.shortfall_usd,
    vaults.buffer_usd,
    vaults.queue_usd,
    vaults.buffer_age_hours,
    days.days_known,
    days.days_short,
    days.highest_queue_share,
    vaults.missing_reason
from mart.withdrawable as vaults
left join days using (chain_id, vault_address)
where
    (getvariable('vault')::varchar is null and not vaults.is_ended)
    or getvariable('vault')::varchar in (vaults.vault_address, vaults.vault_name)
order by vaults.withdrawable_share nulls last, vaults.vault_name, vaults.vault_address
