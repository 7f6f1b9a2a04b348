-- How complete each day of the last year is: expected points, and how many are present; of all vaults and series,
-- unless one is named.
select
    expected_at::date as day,
    count(*) as expected,
    count(*) filter (state = 'present') as present,
    count(*) filter (state in ('missing', 'quarantined')) as missing,
    count(*) filter (state in ('empty', 'unreachable')) as not_offered
from mart.completeness
inner join mart.clock on true
where
    expected_at >= date_trunc('month', clock.now_at - interval 1 year)
    and ($vault_address is null or vault_address = $vault_address)
    and ($series is null or series = $series)
group by day
order by day
