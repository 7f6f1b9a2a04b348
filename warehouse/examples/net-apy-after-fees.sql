-- What is left of each vault's yield once the fees are paid?
-- For an allocator who compares vaults with different fees.
--
--     vault: address or name of a vault; every vault unless it is set
--     days: days the yield is averaged over, ending with the vault's newest day; 30 unless it is set
--
-- Yields are fractions a year (0.05 is 5%), fees percent (10 is 10%). net_apy is an estimate: the mean yield less
-- the management fee, and of what is above zero less the performance fee. It is not documented whether the
-- service's APY is net of fees already: if it is, use gross_apy. Null where a fee is not known. The column days
-- says how many days there were. Closed vaults are left out, unless one is named.
with

apys as (
    select
        vault_address,
        day,
        apy_unsmoothed
    from mart.apy_daily
    where apy_unsmoothed is not null
),

fees as (
    select
        chain_id,
        vault_address,
        management_fee_pct,
        performance_fee_pct
    from mart.fee_schedule
    where is_current
),

-- Yields belong to an address: where it is a vault on several chains, one of them gets the yield.
vaults as (
    select
        chain_id,
        vault_address,
        vaults.vault_name,
        vaults.status
    from mart.vault_addresses as addresses
    inner join mart.vault_names as vaults using (chain_id, vault_address)
    where
        vaults.is_listed
        and (
            (getvariable('vault')::varchar is null and not vaults.is_closed)
            or getvariable('vault')::varchar in (vault_address, vaults.vault_name)
        )
),

newest_days as (
    select
        vault_address,
        max(day) as to_on
    from apys
    group by vault_address
),

gross as (
    select
        apys.vault_address,
        newest_days.to_on,
        count(*) as days,
        avg(apys.apy_unsmoothed) as gross_apy
    from apys
    inner join newest_days
        on apys.vault_address = newest_days.vault_address
    where apys.day > newest_days.to_on - coalesce(getvariable('days'), 30)::integer
    group by apys.vault_address, newest_days.to_on
),

before_performance_fee as (
    select
        vaults.vault_name,
        vaults.vault_address,
        vaults.status,
        gross.to_on,
        gross.days,
        gross.gross_apy,
        fees.management_fee_pct,
        fees.performance_fee_pct,
        gross.gross_apy - fees.management_fee_pct / 100 as managed_apy
    from vaults
    inner join gross
        on vaults.vault_address = gross.vault_address
    left join fees
        on vaults.chain_id = fees.chain_id and vaults.vault_address = fees.vault_address
)

select
    vault_name,
    vault_address,
    status,
    to_on,
    days,
    gross_apy,
    management_fee_pct,
    performance_fee_pct,
    case
        when managed_apy > 0 then managed_apy * (1 - performance_fee_pct / 100)
        when performance_fee_pct is not null then managed_apy
    end as net_apy
from before_performance_fee
order by net_apy desc nulls last, vault_name, vault_address
