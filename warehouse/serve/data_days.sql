-- How complete each day of a period is, by default the last year: expected points, and how many are present; of all
-- vaults and series, unless one is named. What the service no longer has of a vault that has ended is not expected, so that it does not
-- cover what is missing of the others.
with

ends as (
    select
        vault_address,
        max(newest_at) as ended_at
    from mart.vault_lifecycle
    group by vault_address
    having bool_and(is_ended)
)

select
    expected_at::date as day,
    count(*) as expected,
    count(*) filter (state = 'present') as present,
    count(*) filter (state in ('missing', 'quarantined')) as missing,
    count(*) filter (state in ('empty', 'unreachable')) as not_offered
from mart.completeness
inner join mart.clock on true
left join ends using (vault_address)
where
    expected_at >= coalesce($from_day, date_trunc('month', clock.now_at - interval 1 year))
    and ($to_day is null or expected_at::date <= $to_day)
    and (ends.ended_at is null or expected_at <= ends.ended_at or state <> 'empty')
    and ($vault_address is null or vault_address = $vault_address)
    and ($series is null or series = $series)
group by day
order by day
