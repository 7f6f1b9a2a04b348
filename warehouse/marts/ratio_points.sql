select
    vault_address,
    observed_at,
    actual_tvl as backing,
    tvl_on_vault as supply,
    -- A vault that was wound up keeps reporting 0 backing, 0 supply and a ratio of 0. That is not a loss: it has no ratio.
    case
        when actual_tvl is distinct from 0 or tvl_on_vault is distinct from 0
            then adjusted_redeem_ratio
    end as collateral_ratio,
    chain_id,
    collateral_ratio < 1 as is_below_par
from core.ratio_history as points
