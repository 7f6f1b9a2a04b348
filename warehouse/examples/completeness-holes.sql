-- Where exactly are the holes?
-- For anyone who has to fill them, or to leave them out of an average.
--
--     vault: address or name of a vault; every vault unless it is set
--     series: ratio, pnl, allocation, apy_smoothed_7d, …, (mart.series); all of them unless it is set
--
-- One row for consecutive hours or days of one state, the longest first; until_at is the end of the last one,
-- exclusive. `vaulthouse sync --fill-gaps` may fill what is `missing`. It can't fill what is `empty` (requested, with
-- a response without a fact) or `unreachable`.
with

-- A series requested by address alone is the same on every chain of the address.
holes as (
    select
        completeness.vault_address,
        case when series.is_by_chain then completeness.chain_id end as chain_id,
        completeness.series,
        completeness.state,
        completeness.expected_at,
        case completeness.period when 'hour' then interval 1 hour else interval 1 day end as step
    from mart.completeness
    inner join mart.series
        on completeness.series = series.series
    where
        completeness.state <> 'present'
        and (getvariable('series')::varchar is null or completeness.series = getvariable('series')::varchar)
),

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from mart.vault_latest
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
),

numbered as (
    select
        vault_address,
        chain_id,
        series,
        state,
        expected_at,
        step,
        -- The same instant for all consecutive hours or days.
        expected_at - step * row_number() over (
            partition by vault_address, chain_id, series, state order by expected_at
        ) as run
    from holes
)

select
    vaults.vault_name,
    vaults.vault_address,
    numbered.series,
    numbered.state,
    min(numbered.expected_at) as from_at,
    max(numbered.expected_at) + numbered.step as until_at,
    count(*) as hours_or_days
from numbered
inner join vaults
    on
        numbered.vault_address = vaults.vault_address
        and vaults.chain_id = coalesce(numbered.chain_id, vaults.chain_id)
group by
    vaults.chain_id,
    vaults.vault_name,
    vaults.vault_address,
    numbered.series,
    numbered.state,
    numbered.step,
    numbered.run
order by until_at - from_at desc, vaults.vault_name, vaults.vault_address, numbered.series, from_at
limit 50
