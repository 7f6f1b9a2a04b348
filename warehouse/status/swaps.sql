-- Swaps that were sent and whose outcome is not known.
select requested_at, subaccount_address as subaccount, request ->> 'source_token' as source_token, error_text as reason
from core.swaps
where state in ('sent', 'unknown')
order by all
