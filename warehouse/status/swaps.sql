-- Swaps sent, of which nobody said what became.
select requested_at, subaccount_address as subaccount, request ->> 'source_token' as source_token, error_text as reason
from core.swaps
where state in ('sent', 'unknown')
order by all
