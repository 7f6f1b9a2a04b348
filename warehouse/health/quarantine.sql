-- Responses and records that break the contract and are still in quarantine, by pipeline.
select
    pipeline,
    count(*) as entries,
    min(quarantined_at) as since,
    arg_max(json_path, quarantined_at) as json_path,
    arg_max(detail, quarantined_at) as detail
from ops.quarantine
where closed_at is null
group by pipeline
order by pipeline
