select
    vault_address,
    observed_at::date as day,
    min(chain_id) as chain_id,
    min(observed_at) as first_at,
    max(observed_at) as last_at,
    -- Of the newest point as a whole: arg_max would skip nulls, and mix instants.
    arg_max_null(backing, observed_at) as backing,
    arg_max_null(supply, observed_at) as supply,
    arg_min(collateral_ratio, observed_at) as collateral_ratio_open,
    min(collateral_ratio) as collateral_ratio_low,
    max(collateral_ratio) as collateral_ratio_high,
    arg_max(collateral_ratio, observed_at) as collateral_ratio_close,
    max(observed_at) filter (collateral_ratio is not null) as collateral_ratio_close_at,
    -- One bit per hour, so that two points in an hour count once, at the cost of an addition.
    bit_or(1::integer << date_part('hour', observed_at)::integer) as hours,
    coalesce(
        bit_or(1::integer << date_part('hour', observed_at)::integer)
            filter (collateral_ratio is not null),
        0
    ) as hours_with_ratio,
    coalesce(
        bit_or(1::integer << date_part('hour', observed_at)::integer) filter (is_below_par),
        0
    ) as hours_below_par
from mart.ratio_points
group by vault_address, observed_at::date
