-- How complete is each series of each vault, and what is wrong with the rest?
select
    vault_address,
    series,
    min(expected_at) as since_at,
    count(*) as expected,
    count(*) filter (state = 'present') / count(*) as share_present,
    count(*) filter (state = 'empty') as empty,
    count(*) filter (state = 'missing') as missing,
    count(*) filter (state = 'quarantined') as quarantined,
    count(*) filter (state = 'unreachable') as unreachable
from mart.completeness
group by vault_address, series
order by share_present, vault_address, series
