-- The allocation of a vault on its newest day, the largest first.
select
    day,
    protocol,
    value,
    weight,
    value_change
from mart.allocation_daily
inner join mart.clock on day <= clock.now_at::date
where chain_id = $chain_id and vault_address = $vault_address
qualify day = max(day) over (partition by chain_id, vault_address)
order by value desc, protocol
