-- The newest days of a vault. Ratio, APY and PnL are those of its address; net value and buffer are of the vault that the
-- address stands for, which may be on another chain.
select
    day,
    apy_smoothed,
    apy_unsmoothed,
    collateral_ratio_low,
    collateral_ratio_close,
    pnl_usd,
    case when chain_id = $chain_id then nav_usd end as nav_usd,
    case when chain_id = $chain_id then buffer_usd end as buffer_usd,
    hours_present,
    hours_expected
from mart.vault_daily
where vault_address = $vault_address
order by day desc
limit 14
