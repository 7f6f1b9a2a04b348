-- The absent points of one day.
select
    vault_address,
    vault_name,
    series,
    period,
    state,
    list(date_part('hour', expected_at)::integer order by expected_at) as hours
from mart.completeness
where
    expected_at >= $day
    and expected_at < $day + interval 1 day
    and state <> 'present'
    and ($vault_address is null or vault_address = $vault_address)
    and ($series is null or series = $series)
group by vault_address, vault_name, series, period, state
order by vault_name, vault_address, series, state
