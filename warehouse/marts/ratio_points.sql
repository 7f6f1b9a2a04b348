select
    vault_address,
    observed_at,
    actual_tvl as backing,
    tvl_on_vault as supply,
    -- A vault that was wound up keeps reporting 0 supply, 0 backing or a remainder of it, and a ratio of 0. That is not a loss: it
    -- has no ratio.
    case
        when tvl_on_vault <= 0 and (actual_tvl = 0 or adjusted_redeem_ratio = 0) then null
        else adjusted_redeem_ratio
    end as collateral_ratio,
    chain_id,
    collateral_ratio < 1 as is_below_par
from core.ratio_history as points
