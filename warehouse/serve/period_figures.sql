-- Every vault over the days of a period, both included: PnL, return, drawdown, volatility, APY, concentration, fees, and
-- its collateral ratio as a list of closes, each with its place, one for every $step_days days.
with

closes as (
    select
        vault_address,
        (day - $from_day) // $step_days as place,
        arg_max(collateral_ratio_close, day) as close
    from mart.ratio_days
    where day between $from_day and $to_day and collateral_ratio_close is not null
    group by all
),

lines as (
    select
        vault_address,
        list(place order by place) as places,
        list(close order by place) as closes
    from closes
    group by vault_address
)

select
    figures.*,
    lines.places,
    lines.closes
from mart.vault_period($from_day, $to_day) as figures
left join lines using (vault_address)
