-- How did the withdrawal queue build up, reading by reading?
-- For a vault operator; it is the slowly changing tables at work.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- core.withdrawal_summaries keeps a row for each change, with valid_from and valid_to: the figure held from the one
-- to the other (null: it still does). Changes between two readings are not seen. Amounts are in the vault's asset;
-- hours_stood counts up to now where the figure still holds.
with

summaries as (
    select
        chain_id,
        vault_address,
        total_withdrawals,
        total_assets,
        pending_requests,
        valid_from,
        valid_to
    from core.withdrawal_summaries
),

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from core.vaults
    where
        is_current
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
)

select
    vaults.vault_name,
    vaults.vault_address,
    summaries.valid_from,
    summaries.valid_to,
    date_diff('hour', summaries.valid_from, coalesce(summaries.valid_to, clock.now_at))
        as hours_stood,
    summaries.pending_requests,
    summaries.total_withdrawals,
    summaries.total_withdrawals / nullif(summaries.total_assets, 0) as share_of_assets,
    summaries.total_withdrawals
    - lag(summaries.total_withdrawals) over (
        partition by summaries.chain_id, summaries.vault_address
        order by summaries.valid_from
    ) as change
from summaries
inner join vaults
    on
        summaries.vault_address = vaults.vault_address
        and summaries.chain_id is not distinct from vaults.chain_id
cross join mart.clock
order by vaults.vault_name, vaults.vault_address, vaults.chain_id, summaries.valid_from
