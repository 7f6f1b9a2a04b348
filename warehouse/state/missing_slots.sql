-- The hours or days that each series of a pipeline lacks between its first and its last fact, by vault and day, with
-- the days next to them: what `sync --fill-gaps` requests again. Those in permanent gaps are left out.
with

slots as (
    select
        completeness.vault_address,
        completeness.chain_id,
        completeness.series,
        series.is_by_chain,
        completeness.expected_at,
        completeness.period,
        case completeness.period when 'hour' then interval 1 hour else interval 1 day end as step,
        completeness.state,
        max(completeness.expected_at) filter (completeness.state = 'present') over (
            partition by
                completeness.vault_address, completeness.chain_id, completeness.series
        ) as last_present_at
    from mart.completeness
    inner join mart.series
        on completeness.series = series.series
    where series.pipeline = $1
),

permanent as (
    select
        vault_address,
        chain_id,
        series,
        from_at,
        to_at
    from ops.gaps
    where pipeline = $1 and state = 'permanent'
),

given_up as (
    select distinct
        slots.vault_address,
        slots.chain_id,
        slots.series,
        slots.expected_at
    from slots
    inner join permanent
        on
            slots.vault_address = permanent.vault_address
            and (not slots.is_by_chain or slots.chain_id = coalesce(permanent.chain_id, slots.chain_id))
            and slots.series = coalesce(permanent.series, slots.series)
            and slots.expected_at <= permanent.to_at
            and slots.expected_at + slots.step > permanent.from_at
    where slots.state <> 'present'
),

classified as (
    select
        slots.vault_address,
        slots.chain_id,
        slots.series,
        slots.expected_at,
        slots.period,
        slots.state = 'present' as is_present,
        slots.state <> 'present'
        and slots.expected_at < slots.last_present_at
        and given_up.expected_at is null as is_hole
    from slots
    left join given_up
        on
            slots.vault_address = given_up.vault_address
            and slots.chain_id is not distinct from given_up.chain_id
            and slots.series = given_up.series
            and slots.expected_at = given_up.expected_at
),

days as (
    select
        vault_address,
        chain_id,
        series,
        period,
        expected_at::date as day,
        count(*) filter (is_present) as present,
        list(epoch_us(expected_at) order by expected_at) filter (is_hole) as missing
    from classified
    group by vault_address, chain_id, series, period, expected_at::date
),

neighbours as (
    select
        days.*,
        coalesce(lag(missing) over (of_series), lead(missing) over (of_series)) is not null
            as is_neighbour
    from days
    window of_series as (partition by vault_address, chain_id, series order by day)
)

select
    vault_address,
    chain_id,
    series,
    period,
    day - date '1970-01-01' as day,
    present,
    coalesce(missing, []) as missing
from neighbours
where missing is not null or is_neighbour
order by vault_address, chain_id, series, day
