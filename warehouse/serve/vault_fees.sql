-- The fees of a vault over time, the newest first.
select
    valid_from,
    valid_to,
    is_current,
    management_fee_pct,
    performance_fee_pct,
    weekly_performance_fee_bps
from mart.fee_schedule
where chain_id = $chain_id and vault_address = $vault_address
order by valid_from desc
