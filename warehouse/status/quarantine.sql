-- Responses that broke the contract, until a later version or a later response resolves them.
select
    endpoint,
    json_path,
    count(*) as responses,
    max(quarantined_at) as newest_at,
    arg_max(detail, quarantined_at order by detail) as detail
from ops.quarantine
where closed_at is null
group by endpoint, json_path
order by all
