select
    vault_address,
    vault_name,
    day,
    apy_smoothed,
    apy_unsmoothed,
    backing,
    supply,
    collateral_ratio_low,
    collateral_ratio_close,
    pnl_usd,
    pnl_in_asset,
    nav_usd,
    hours_present,
    hours_expected
from mart.vault_daily
