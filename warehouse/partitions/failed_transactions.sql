-- Failed transactions, with the vaults of the subaccounts that sent them.
select
    transactions.chain_id,
    transactions.transaction_hash,
    to_json(
        list(distinct links.vault_address) filter (links.vault_address is not null)
    )::varchar as vaults
from core.transactions
left join core.vault_subaccounts as links
    on transactions.subaccount_address = links.subaccount_address and links.is_current
where
    transactions.is_failed
    and transactions.chain_id is not null
    and transactions.transaction_hash is not null
group by transactions.chain_id, transactions.transaction_hash
order by transactions.chain_id, transactions.transaction_hash
