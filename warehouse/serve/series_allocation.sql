-- Value a vault had in each protocol, day by day.
select
    day,
    protocol,
    value,
    weight
from mart.allocation_daily
where
    chain_id = $chain_id
    and vault_address = $vault_address
    and day >= $from_at::date
    and day < $to_at
order by day, protocol
