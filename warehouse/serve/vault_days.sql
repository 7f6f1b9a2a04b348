-- The newest days of a vault.
select
    day,
    apy_smoothed,
    apy_unsmoothed,
    collateral_ratio_low,
    collateral_ratio_close,
    pnl_usd,
    nav_usd,
    buffer_usd,
    hours_present,
    hours_expected
from mart.vault_daily
where vault_address = $vault_address
order by day desc
limit 14
