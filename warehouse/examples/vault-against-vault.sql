-- Two vaults, day by day: which was better, and by how much?
-- For an allocator who can hold one of them.
--
--     vault: address or name; the vault with the highest smoothed APY unless it is set
--     other: the other one; the one with the next highest unless it is set
--
-- Yields and ratios are fractions. Ended vaults are left out. Only days on which both have an unsmoothed APY. lead
-- is the first vault's return over the second's since the first common day, each compounded from its daily APY:
-- 0.01 is one percent ahead.
with

days as (
    select
        vault_address,
        day,
        apy_unsmoothed,
        collateral_ratio_close
    from mart.vault_daily
    where apy_unsmoothed > -1
),

ranked as (
    select
        vault_address,
        vault_name,
        row_number() over (order by apy_smoothed desc nulls last, vault_address) as place
    from mart.vault_latest
    where apy_unsmoothed is not null and not is_ended
),

first_vault as (
    select
        vault_address,
        vault_name
    from ranked
    where
        getvariable('vault')::varchar in (vault_address, vault_name)
        or (getvariable('vault')::varchar is null and place = 1)
),

second_vault as (
    select
        vault_address,
        vault_name
    from ranked
    where
        getvariable('other')::varchar in (vault_address, vault_name)
        or (getvariable('other')::varchar is null and place = 2)
),

paired as (
    select
        one.day,
        first_vault.vault_name,
        second_vault.vault_name as other_name,
        one.apy_unsmoothed as apy,
        two.apy_unsmoothed as other_apy,
        one.collateral_ratio_close as collateral_ratio,
        two.collateral_ratio_close as other_collateral_ratio
    from first_vault
    cross join second_vault
    inner join days as one
        on first_vault.vault_address = one.vault_address
    inner join days as two
        on
            second_vault.vault_address = two.vault_address
            and one.day = two.day
)

select
    day,
    vault_name,
    other_name,
    apy,
    other_apy,
    apy - other_apy as apy_difference,
    exp(sum((ln(1 + apy) - ln(1 + other_apy)) / 365) over (order by day)) - 1 as lead,
    collateral_ratio,
    other_collateral_ratio
from paired
order by day
