-- How deep did each vault fall, and how long was it worth less than it reported?
-- For an allocator, and for the risk officer who set the limits.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- Figures are fractions: a max_drawdown of 0.03 is a fall of the hourly collateral ratio of 3% from the high before
-- it. Below par are hours with a collateral ratio below 1; hours without a point are in neither count. Where
-- recovered_at is null, the ratio has not returned to that high.
select
    vault_name,
    vault_address,
    status,
    max_drawdown,
    max_drawdown_peak_at as peak_at,
    max_drawdown_trough_at as trough_at,
    max_drawdown_recovered_at as recovered_at,
    date_diff('hour', max_drawdown_peak_at, max_drawdown_recovered_at) / 24 as days_under_water,
    hours_below_par,
    share_of_hours_below_par,
    collateral_ratio_low,
    collateral_ratio_low_at
from mart.vault_performance
where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
order by max_drawdown desc nulls last, vault_name, vault_address
