-- How complete is each series of each vault, and what is wrong with the rest?
-- Asked by everyone who is about to add a column up.
--
--     $vault = null  address or name of a vault; null is every vault
--
-- Counts of expected hours (ratio, pnl) or days (apy, allocation), from the first fact to what was covered
-- last. `empty` was asked and answered, and there is nothing here; `missing` means that nobody has asked, or been
-- answered. Only series that have a fact at all: a vault without any has no row, see mart.freshness.
with

expected as (
    select
        vault_address,
        series,
        expected_at,
        state
    from mart.completeness
),

vaults as (
    select
        vault_address,
        vault_name
    from mart.vault_latest
    where $vault::varchar is null or $vault::varchar in (vault_address, vault_name)
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
    on expected.vault_address = vaults.vault_address
group by vaults.vault_name, vaults.vault_address, expected.series
order by share_present, vaults.vault_address, expected.series
