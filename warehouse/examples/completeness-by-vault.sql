-- How complete is each series of each vault, and what is wrong with the rest?
-- For anyone about to sum a column.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- Counts of expected hours (ratio, pnl) or days (each APY series, allocation), from the first fact to the last
-- instant covered. `empty`: requested, with a response without a fact; `missing`: not requested, or without a
-- response. Only series with a fact are counted: a vault without any has no row, see mart.freshness.
with

-- A series requested by address alone is the same on every chain of the address.
expected as (
    select
        completeness.vault_address,
        case when series.is_by_chain then completeness.chain_id end as chain_id,
        completeness.series,
        completeness.expected_at,
        completeness.state
    from mart.completeness
    inner join mart.series
        on completeness.series = series.series
),

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from mart.vault_latest
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
)

select
    vaults.vault_name,
    vaults.vault_address,
    expected.series,
    min(expected.expected_at) as since_at,
    count(*) as expected,
    count(*) filter (expected.state = 'present') / count(*) as share_present,
    count(*) filter (expected.state = 'empty') as empty,
    count(*) filter (expected.state = 'missing') as missing,
    count(*) filter (expected.state = 'quarantined') as quarantined,
    count(*) filter (expected.state = 'unreachable') as unreachable
from expected
inner join vaults
    on
        expected.vault_address = vaults.vault_address
        and vaults.chain_id = coalesce(expected.chain_id, vaults.chain_id)
group by vaults.chain_id, vaults.vault_name, vaults.vault_address, expected.series
order by share_present, vaults.vault_address, vaults.chain_id, expected.series
