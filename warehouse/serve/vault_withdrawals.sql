-- The withdrawal queue of a vault, first in, first out.
select
    request_id,
    place,
    requested_at,
    age_days,
    estimated_completion_at,
    is_late,
    recipient_address,
    amount,
    amount_usd,
    share_of_vault,
    cumulative_share,
    is_covered_by_buffer,
    read_at
from mart.withdrawal_queue
where chain_id = $chain_id and vault_address = $vault_address
order by place, requested_at, request_id
limit 200
