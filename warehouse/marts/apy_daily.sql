with

-- A day of the future is no fact yet, and does not show that a series goes on.
past as (
    select apy_history.*
    from core.apy_history
    inner join mart.clock on apy_history.date <= clock.now_at::date
),

-- One averaging period for the whole of a vault's series, so that no line mixes two definitions. A period whose values
-- stopped is not chosen; a day behind the others is not a stop.
periods as (
    select
        vault_address,
        is_smoothed,
        averaging_period_days,
        -- A day without a value shows no more than a day that is not there. Without any value all periods are alike.
        coalesce(max(date) filter (apy is not null), date '1970-01-01') as to_on
    from past
    group by vault_address, is_smoothed, averaging_period_days
),

going_on as (
    select *
    from periods
    qualify to_on >= max(to_on) over (partition by vault_address, is_smoothed) - 1
),

chosen_period as (
    select
        vault_address,
        is_smoothed,
        case
            when bool_or(averaging_period_days = 7) then 7
            else min(averaging_period_days)
        end::integer as averaging_period_days
    from going_on
    group by vault_address, is_smoothed
),

chosen as (
    select
        past.vault_address,
        past.date,
        past.is_smoothed,
        past.averaging_period_days,
        past.apy
    from past
    inner join chosen_period using (vault_address, is_smoothed, averaging_period_days)
),

days as (
    select
        vault_address,
        date,
        max(apy) filter (is_smoothed) as apy_smoothed,
        max(averaging_period_days) filter (is_smoothed) as apy_smoothed_period_days,
        max(apy) filter (not is_smoothed) as apy_unsmoothed,
        max(averaging_period_days) filter (not is_smoothed) as apy_unsmoothed_period_days
    from chosen
    group by vault_address, date
)

select
    vault_address,
    date as day,
    apy_smoothed,
    apy_smoothed_period_days,
    apy_unsmoothed,
    apy_unsmoothed_period_days
from days
