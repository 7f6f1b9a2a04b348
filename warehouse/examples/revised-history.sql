-- Which figures did the service change after it had published them, and by how much?
-- For a risk officer who wants to know whether yesterday's report still stands.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- One row for each vault and series. A revision is another value for the same instant: the old one is in
-- core.<table>_versions. widest_change is in the unit of the series: a fraction for ratio and apy, USD for pnl.
-- Smoothed APYs are usually revised, since smoothing also uses later values.
with

ratio as (
    select
        'ratio' as series,
        versions.vault_address,
        versions.observed_at as fact_at,
        versions._superseded_at as superseded_at,
        abs(facts.adjusted_redeem_ratio - versions.adjusted_redeem_ratio) as change
    from core.ratio_history_versions as versions
    inner join core.ratio_history as facts
        on
            versions.vault_address = facts.vault_address
            and versions.observed_at = facts.observed_at
),

pnl as (
    select
        'pnl' as series,
        versions.vault_address,
        versions.snapshot_at as fact_at,
        versions._superseded_at as superseded_at,
        abs(facts.unrealized_pnl - versions.unrealized_pnl) as change
    from core.pnl_history_versions as versions
    inner join core.pnl_history as facts
        on
            versions.vault_address = facts.vault_address
            and versions.snapshot_at = facts.snapshot_at
),

apy as (
    select
        if(versions.is_smoothed, 'apy smoothed', 'apy unsmoothed') as series,
        versions.vault_address,
        versions.date::timestamp as fact_at,
        versions._superseded_at as superseded_at,
        abs(facts.apy - versions.apy) as change
    from core.apy_history_versions as versions
    inner join core.apy_history as facts
        on
            versions.vault_address = facts.vault_address
            and versions.date = facts.date
            and versions.is_smoothed = facts.is_smoothed
            and versions.averaging_period_days = facts.averaging_period_days
),

revisions as (
    select
        series,
        vault_address,
        fact_at,
        superseded_at,
        change
    from ratio
    union all
    select
        series,
        vault_address,
        fact_at,
        superseded_at,
        change
    from pnl
    union all
    select
        series,
        vault_address,
        fact_at,
        superseded_at,
        change
    from apy
),

vaults as (
    select
        vault_address,
        vault_name
    from core.vaults
    where
        is_current
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
)

select
    vaults.vault_name,
    vaults.vault_address,
    revisions.series,
    count(*) as revisions,
    count(distinct revisions.fact_at) as facts_revised,
    min(revisions.fact_at) as oldest_fact_at,
    max(revisions.fact_at) as newest_fact_at,
    max(revisions.change) as widest_change,
    avg(revisions.change) as mean_change,
    max(revisions.superseded_at) as newest_revision_at
from revisions
inner join vaults
    on revisions.vault_address = vaults.vault_address
group by vaults.vault_name, vaults.vault_address, revisions.series
order by vaults.vault_name, vaults.vault_address, revisions.series
