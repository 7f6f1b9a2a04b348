-- Do vaults fall together? Which two of them diversify?
-- For an allocator who builds a portfolio.
--
--     days: newest days compared; 90 unless it is set
--     least: fewest days in common for a pair to be shown; 20 unless it is set
--
-- Pearson correlation of the daily changes of the collateral ratio's close: at 1 they move alike, at 0 they are
-- unrelated, at -1 they move against each other. Changes over a missing day are left out. Null where one of the two
-- never moved. With n days, anything within about 2 / sqrt(n) of zero is noise: that limit is `noise`.
with

days as (
    select
        vault_address,
        vault_name,
        day,
        collateral_ratio_close
    from mart.vault_daily
),

-- vault_daily has every day, so that the row before is the day before.
changes as (
    select
        vault_address,
        vault_name,
        day,
        collateral_ratio_close - lag(collateral_ratio_close) over (
            partition by vault_address order by day
        ) as change
    from days
),

newest as (
    select max(day) as to_on
    from changes
    where change is not null
),

recent as (
    select
        changes.vault_address,
        changes.vault_name,
        changes.day,
        changes.change
    from changes
    cross join newest
    -- No real ratio moves by a million, and the square of such a move might exceed a double.
    where abs(changes.change) < 1e6 and changes.day > newest.to_on - coalesce(getvariable('days'), 90)::integer
)

select
    one.vault_name,
    two.vault_name as other_name,
    count(*) as days,
    case
        when stddev_pop(one.change) > 0 and stddev_pop(two.change) > 0
            then corr(one.change, two.change)
    end as correlation,
    2 / sqrt(count(*)) as noise,
    one.vault_address,
    two.vault_address as other_address
from recent as one
inner join recent as two
    on one.day = two.day and one.vault_address < two.vault_address
group by one.vault_address, one.vault_name, two.vault_address, two.vault_name
having count(*) >= coalesce(getvariable('least'), 20)::integer
order by correlation desc nulls last, one.vault_name, two.vault_name, one.vault_address, two.vault_address
