-- What happened in the governance of a vault, the newest first.
select
    occurred_at,
    kind,
    event_id,
    title,
    -- For a timelock, its labels as sent: JSON, usually a list.
    case
        when kind like 'timelock%' then coalesce(nullif(array_to_string(detail ->> '$[*]', ', '), ''), detail ->> '$')
        else detail
    end as detail
from mart.governance_timeline
where chain_id = $chain_id and vault_address = $vault_address
order by occurred_at desc, kind, event_id
limit 50
