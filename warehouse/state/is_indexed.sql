-- Whether the archive's index has response $1.
select 1 as is_indexed
from raw.responses
where response_id = $1
