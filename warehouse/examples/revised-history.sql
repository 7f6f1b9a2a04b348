-- Which figures did the service change after it had published them, and by how much?
-- For a risk officer who wants to know whether yesterday's report still stands.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- One row for each vault and series. A revision is another value for the same instant: the old one is in
-- core.<table>_versions, and is compared with the value that replaced it; one that was retired was replaced by none.
-- widest_change is in the unit of the series: a fraction for ratio and apy, USD for pnl.
-- Smoothed APYs are usually revised, since smoothing also uses later values.
with

ratio_values as (
    select
        vault_address,
        observed_at,
        adjusted_redeem_ratio as figure,
        _superseded_at as superseded_at
    from core.ratio_history_versions
    union all
    select
        vault_address,
        observed_at,
        adjusted_redeem_ratio as figure,
        null as superseded_at
    from core.ratio_history
),

ratio as (
    select
        'ratio' as series,
        vault_address,
        observed_at as fact_at,
        superseded_at,
        abs(
            lead(figure) over (
                partition by vault_address, observed_at
                order by superseded_at nulls last
            ) - figure
        ) as change
    from ratio_values
),

pnl_values as (
    select
        vault_address,
        snapshot_at,
        unrealized_pnl as figure,
        _superseded_at as superseded_at
    from core.pnl_history_versions
    union all
    select
        vault_address,
        snapshot_at,
        unrealized_pnl as figure,
        null as superseded_at
    from core.pnl_history
),

pnl as (
    select
        'pnl' as series,
        vault_address,
        snapshot_at as fact_at,
        superseded_at,
        abs(
            lead(figure) over (
                partition by vault_address, snapshot_at
                order by superseded_at nulls last
            ) - figure
        ) as change
    from pnl_values
),

apy_values as (
    select
        vault_address,
        date,
        is_smoothed,
        averaging_period_days,
        apy as figure,
        _superseded_at as superseded_at
    from core.apy_history_versions
    union all
    select
        vault_address,
        date,
        is_smoothed,
        averaging_period_days,
        apy as figure,
        null as superseded_at
    from core.apy_history
),

apy as (
    select
        if(is_smoothed, 'apy smoothed', 'apy unsmoothed') as series,
        vault_address,
        date::timestamp as fact_at,
        superseded_at,
        abs(
            lead(figure) over (
                partition by vault_address, date, is_smoothed, averaging_period_days
                order by superseded_at nulls last
            ) - figure
        ) as change
    from apy_values
),

revisions as (
    select
        series,
        vault_address,
        fact_at,
        superseded_at,
        change
    from ratio
    where superseded_at is not null
    union all
    select
        series,
        vault_address,
        fact_at,
        superseded_at,
        change
    from pnl
    where superseded_at is not null
    union all
    select
        series,
        vault_address,
        fact_at,
        superseded_at,
        change
    from apy
    where superseded_at is not null
),

vaults as (
    select
        vault_address,
        vault_name
    from mart.vault_addresses
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
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
