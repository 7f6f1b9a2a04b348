-- How long does a withdrawal take, and how large were those that took long?
-- For an allocator before money goes in, and a vault operator who gets the question.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- Figures of the requests that are gone from the queue; it is not known whether they were paid or withdrawn. Days
-- are from the request to the first reading without it: an upper limit, as exact as the readings are frequent.
-- Amounts are in the vault's asset. longest_pending_days is the age of the oldest pending request: where it is above
-- longest_days, past requests say too little. late counts those that a reading found pending after the estimated time.
with

requests as (
    select
        chain_id,
        vault_address,
        vault_name,
        requested_at,
        amount,
        is_pending,
        waited_days,
        was_late
    from mart.withdrawal_history
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
)

select
    requests.vault_name,
    requests.vault_address,
    count(*) filter (not requests.is_pending) as gone,
    median(requests.waited_days) as median_days,
    quantile_cont(requests.waited_days, 0.9) as days_of_nine_in_ten,
    max(requests.waited_days) as longest_days,
    arg_max(requests.amount, requests.waited_days order by requests.amount desc) as longest_amount,
    count(*) filter (requests.was_late) as late,
    count(*) filter (requests.is_pending) as pending,
    max(date_diff('second', requests.requested_at, clock.now_at)) filter (requests.is_pending)
    / 86400 as longest_pending_days
from requests
cross join mart.clock
group by requests.chain_id, requests.vault_name, requests.vault_address
order by median_days desc nulls last, requests.vault_name, requests.vault_address, requests.chain_id
