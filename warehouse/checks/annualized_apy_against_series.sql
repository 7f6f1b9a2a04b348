with

annualized as (
    select
        vault_address,
        valid_from,
        liquid_apy_7_day
    from core.annualized_apy
    where is_current and liquid_apy_7_day is not null
),

days as (
    select
        vault_address,
        date,
        apy,
        max(date) over (partition by vault_address) as last_date
    from core.apy_history
    where not is_smoothed and averaging_period_days = 7 and apy is not null
),

-- Seven days of daily values against a yield over seven days: the newest alone is one day's.
series as (
    select
        vault_address,
        last_date as date,
        avg(apy) as apy
    from days
    where date > last_date - 7
    group by vault_address, last_date
    having count(*) = 7
),

compared as (
    select
        annualized.vault_address,
        annualized.valid_from,
        annualized.liquid_apy_7_day,
        series.date,
        series.apy
    from annualized
    inner join series
        on annualized.vault_address = series.vault_address
)

select
    vault_address,
    valid_from,
    liquid_apy_7_day,
    date,
    apy
from compared
where
    -- The document does not say whether the figure is a fraction or a percent.
    least(abs(liquid_apy_7_day - apy), abs(liquid_apy_7_day / 100 - apy)) > $tolerance
