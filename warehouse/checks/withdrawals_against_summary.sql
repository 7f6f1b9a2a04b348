with

-- A request without an amount makes the sum unknown.
requests as (
    select
        vault_address,
        chain_id,
        sum(amount) as requested,
        count(*) as requests
    from core.withdrawal_requests
    where is_current
    group by vault_address, chain_id
    having count(*) = count(amount)
)

select
    summaries.vault_address,
    summaries.chain_id,
    summaries.total_withdrawals,
    requests.requested,
    requests.requests,
    summaries.valid_from
from core.withdrawal_summaries as summaries
inner join requests
    on
        summaries.vault_address = requests.vault_address
        and summaries.chain_id = requests.chain_id
where
    summaries.is_current
    and abs(summaries.total_withdrawals - requests.requested)
    > $tolerance * greatest(abs(summaries.total_withdrawals), abs(requests.requested))
