select * from (
    values
        -- One instant of one response (§4.1): they differ only by rounding, and by what each of them includes.
        (
            'subaccounts_within_nav',
            'subaccounts of the newest position snapshot added up, where more than its net asset value',
            'net asset value of the snapshot',
            'USD', 0.01, null, null
        ),
        -- What the contract reports is marked to the market when the vault reports, and may be in an asset
        -- that is worth a little more or less than a dollar, as the euro is.
        (
            'nav_reported_tvl',
            'net asset value of the newest position snapshot',
            'reported TVL of the snapshot',
            'as sent', 0.1, null, null
        ),
        -- One figure of one contract, hours apart: deposits and withdrawals lie between. Two days apart, as a
        -- day's figures may be (mart.series), they can no longer be compared.
        (
            'listed_tvl_reported_tvl',
            'reported TVL of the vault list',
            'reported TVL of the newest position snapshot',
            'as sent', 0.05, null, 48
        ),
        -- One hour, and by their definitions (§2.9) one ratio; how the service adjusts its own is not documented.
        (
            'nav_ratio_collateral_ratio',
            'net asset value over reported TVL of the newest position snapshot that has a ratio point',
            'collateral ratio of that hour',
            'as sent', 0.01, null, null
        ),
        (
            'backing_supply_collateral_ratio',
            'backing over supply of the newest ratio point',
            'collateral ratio of the point',
            'fraction', 0.01, null, null
        ),
        -- Holdings as of some hour of the day; whether they include what the vault itself
        -- holds is open (§2.9), and a buffer of a tenth or more is common. The document does not say that the values
        -- of allocations are in dollars.
        (
            'allocations_nav',
            'allocations of the newest day that has a position snapshot, added up',
            'net asset value of the newest snapshot of that day',
            'as sent', 0.2, null, null
        ),
        (
            'oracle_classification_nav',
            'classified positions of the newest day that has a position snapshot, added up',
            'net asset value of the newest snapshot of that day',
            'USD', 0.2, null, null
        ),
        (
            'summary_allocations_nav',
            'allocations of the vault''s summary, added up',
            'net asset value of the newest position snapshot',
            'as sent', 0.2, null, 48
        ),
        -- A liquid yield leaves out points, which the series may hold; and a mean of daily values, each an
        -- average of seven days, reaches a week further back. Over thirty days that week weighs less.
        (
            'annualized_apy_series',
            'liquid APY over 7 days, as a fraction',
            'mean of the newest 7 daily values of the series that is not smoothed',
            'fraction', null, 0.02, 48
        ),
        (
            'annualized_apy_series_30d',
            'liquid APY over 30 days, as a fraction',
            'mean of the newest 30 daily values of the series that is not smoothed',
            'fraction', null, 0.01, 48
        ),
        -- The sum of the parts of one response; each part may be rounded to cents.
        (
            'withdrawal_requests_sum',
            'pending withdrawal requests, added up',
            'their total as sent',
            'the vault''s underlying asset', 0.001, null, null
        ),
        -- One figure of one contract, hours apart.
        (
            'total_assets_supply',
            'total assets given with the withdrawals',
            'supply of the newest ratio point',
            'as sent', 0.05, null, 48
        )
) as declared (
    comparison,
    left_figure,
    right_figure,
    unit,
    relative_tolerance,
    absolute_tolerance,
    max_hours_apart
)
