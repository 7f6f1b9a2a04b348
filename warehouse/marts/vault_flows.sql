with

-- What the vault credits grows its supply, all else is a flow. Of a missing day the next one's yield is taken, so that the
-- flows of a month add up to the flow over the month.
days as (
    select
        vault_address,
        day,
        ratio_days.supply,
        apy_days.apy_unsmoothed as apy,
        lag(day) over vault as day_before,
        lag(ratio_days.supply) over vault as supply_before
    from mart.ratio_days as ratio_days
    left join mart.apy_daily as apy_days using (vault_address, day)
    where ratio_days.supply is not null
    window vault as (partition by vault_address order by day)
),

measured as (
    select
        *,
        day - day_before as days_since_before,
        supply - supply_before as supply_change,
        -- A yield of -1 or less has no daily rate.
        case when apy > -1 then supply_before * (exp(ln(1 + apy) * (day - day_before) / 365) - 1) end
            as credited
    from days
)

select
    measured.vault_address,
    measured.day,
    vaults.chain_id,
    vaults.vault_name,
    measured.supply,
    measured.days_since_before,
    measured.supply_change,
    measured.credited,
    measured.supply_change - measured.credited as flow,
    (measured.supply_change - measured.credited) / nullif(measured.supply_before, 0) as flow_share
from measured
left join mart.vault_addresses as vaults using (vault_address)
