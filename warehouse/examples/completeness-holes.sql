-- The holes as ranges: consecutive hours or days of one state together, longest first.
with

holes as (
    select
        vault_address,
        series,
        state,
        expected_at,
        case period when 'hour' then interval 1 hour else interval 1 day end as step
    from mart.completeness
    where state <> 'present'
),

numbered as (
    select
        vault_address,
        series,
        state,
        expected_at,
        step,
        -- The same instant for all of a run without a break.
        expected_at - step * row_number() over (
            partition by vault_address, series, state order by expected_at
        ) as run
    from holes
)

select
    vault_address,
    series,
    state,
    min(expected_at) as from_at,
    max(expected_at) + step as until_at,
    count(*) as hours_or_days
from numbered
group by vault_address, series, state, step, run
order by until_at - from_at desc, vault_address, series, from_at
limit 50
