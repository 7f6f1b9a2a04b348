-- Did a change of fees affect the yield?
-- For an allocator, and the operator who changed them.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- One row for each period in which a vault's fees stayed the same, with the mean unsmoothed APY of its days. Fees
-- are percent, APYs fractions a year. valid_from is when these fees were first read, not when they were set: that
-- may be in the audit log (mart.governance_timeline). Days before the first reading belong to the first row, since
-- their fees are not known. fee_drag is what the fees take off that mean, a fraction a year; null where one of them
-- is not known.
with

schedule as (
    select
        chain_id,
        vault_name,
        vault_address,
        valid_from,
        valid_to,
        is_current,
        management_fee_pct,
        performance_fee_pct,
        management_fee_change,
        performance_fee_change
    from mart.fee_schedule
    where
        (management_fee_pct is not null or performance_fee_pct is not null)
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
),

apys as (
    select
        vault_address,
        day,
        apy_unsmoothed
    from mart.apy_daily
    where apy_unsmoothed is not null
),

spans as (
    select
        chain_id,
        vault_name,
        vault_address,
        valid_from,
        valid_to,
        is_current,
        management_fee_pct,
        performance_fee_pct,
        management_fee_change,
        performance_fee_change,
        lag(valid_from) over (partition by chain_id, vault_address order by valid_from) is null
            as is_first
    from schedule
),

measured as (
    select
        spans.chain_id,
        spans.vault_name,
        spans.vault_address,
        spans.valid_from,
        spans.valid_to,
        spans.is_current,
        spans.management_fee_pct,
        spans.performance_fee_pct,
        spans.management_fee_change,
        spans.performance_fee_change,
        count(apys.day) as days,
        avg(apys.apy_unsmoothed) as mean_apy
    from spans
    left join apys
        on
            spans.vault_address = apys.vault_address
            and (spans.is_first or apys.day >= spans.valid_from)
            and (spans.valid_to is null or apys.day < spans.valid_to)
    group by all
)

select
    vault_name,
    vault_address,
    valid_from,
    valid_to,
    is_current,
    management_fee_pct,
    management_fee_change,
    performance_fee_pct,
    performance_fee_change,
    days,
    mean_apy,
    case
        -- greatest() skips nulls, so without days there would be a drag although there is no yield.
        when mean_apy is not null
            then
                management_fee_pct / 100
                + greatest(mean_apy - management_fee_pct / 100, 0) * performance_fee_pct / 100
    end as fee_drag
from measured
order by vault_name, vault_address, chain_id, valid_from
