with

apy_history as (
    select
        vault_address,
        date,
        is_smoothed,
        averaging_period_days,
        apy
    from core.apy_history
),

-- One averaging period for the whole of a vault's series, so that no line mixes two definitions.
chosen_period as (
    select
        vault_address,
        is_smoothed,
        case
            when bool_or(averaging_period_days = 7) then 7
            else min(averaging_period_days)
        end::integer as averaging_period_days
    from apy_history
    group by vault_address, is_smoothed
),

chosen as (
    select
        apy_history.vault_address,
        apy_history.date,
        apy_history.is_smoothed,
        apy_history.averaging_period_days,
        apy_history.apy
    from apy_history
    inner join chosen_period
        on
            apy_history.vault_address = chosen_period.vault_address
            and apy_history.is_smoothed = chosen_period.is_smoothed
            and apy_history.averaging_period_days = chosen_period.averaging_period_days
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
    vault_address::varchar as vault_address,
    date::date as day,
    apy_smoothed::double as apy_smoothed,
    apy_smoothed_period_days::integer as apy_smoothed_period_days,
    apy_unsmoothed::double as apy_unsmoothed,
    apy_unsmoothed_period_days::integer as apy_unsmoothed_period_days
from days
