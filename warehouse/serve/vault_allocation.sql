-- The allocation of a vault on its newest day, the largest first.
select
    day,
    protocol,
    value,
    weight,
    value_change
from mart.allocation_daily
where chain_id = $chain_id and vault_address = $vault_address
qualify day = max(day) over ()
order by value desc, protocol
