with

annualized as (
    select
        vault_address,
        valid_from,
        liquid_apy_7_day
    from core.annualized_apy
    where is_current and liquid_apy_7_day is not null
),

-- The newest value of the smoothed series over the same seven days.
series as (
    select
        vault_address,
        max(date) as date,
        arg_max(apy, date) as apy
    from core.apy_history
    where is_smoothed and averaging_period_days = 7 and apy is not null
    group by vault_address
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
