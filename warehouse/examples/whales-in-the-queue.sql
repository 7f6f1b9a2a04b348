-- Does one withdrawal, or one recipient, decide whether a vault stays liquid?
-- For a risk officer and the vault operator who calls the recipient.
--
--     vault: address or name of a vault; every vault unless it is set
--     share: part of the queue from which a recipient is shown, a fraction; 0.25 unless it is set
--
-- One row for each vault and recipient, with all of the recipient's requests. Amounts are in the vault's asset.
-- share_of_vault is a fraction of the vault's assets as reported with the queue. Where a request has no amount, its
-- recipient's is null and so is share_of_queue of the whole vault, whose recipients are all shown then, as are those
-- of a list that could not be read whole.
with

queue as (
    select
        chain_id,
        vault_name,
        vault_address,
        recipient_address,
        requested_at,
        amount,
        share_of_vault,
        place
    from mart.withdrawal_queue
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
),

recipients as (
    select
        chain_id,
        vault_name,
        vault_address,
        recipient_address,
        count(*) as requests,
        min(place) as first_place,
        min(requested_at) as first_requested_at,
        case when count(amount) = count(*) then sum(amount) end as amount,
        case when count(share_of_vault) = count(*) then sum(share_of_vault) end as share_of_vault
    from queue
    group by chain_id, vault_name, vault_address, recipient_address
),

measured as (
    select
        vault_name,
        vault_address,
        recipient_address,
        requests,
        first_place,
        first_requested_at,
        amount,
        case
            when count(amount) over vault = count(*) over vault and count(first_place) over vault = count(*) over vault
                then amount / nullif(sum(amount) over vault, 0)
        end as share_of_queue,
        share_of_vault
    from recipients
    window vault as (partition by chain_id, vault_address)
)

select
    vault_name,
    vault_address,
    recipient_address,
    requests,
    first_place,
    first_requested_at,
    amount,
    share_of_queue,
    share_of_vault
from measured
where share_of_queue is null or share_of_queue >= coalesce(getvariable('share'), 0.25)::double
order by share_of_vault desc nulls last, vault_name, vault_address, recipient_address
