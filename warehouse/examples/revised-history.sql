-- Which figures did the service change after it had published them, and by how much?
-- For a risk officer who wants to know whether yesterday's report still stands.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- One row for each vault, series and measure that changed. A revision is another value of the measure for the same
-- fact: the old one is in core.<table>_versions, and is compared with the value that replaced it. A version that
-- differs in other measures only is no revision of this one. retired counts facts that the service no longer has: no
-- value replaced theirs. widest_change and mean_change are in the unit of the measure: fractions for collateral_ratio
-- and apy, USD for pnl_usd, the vault's asset for pnl_in_asset, as sent for the others. Smoothed APYs are usually
-- revised, since smoothing also uses later values.
with

measures as (
    select
        'ratio' as series,
        vault_address,
        observed_at as fact_at,
        '' as part,
        _superseded_at as superseded_at,
        unnest([
            {'measure': 'backing', 'figure': actual_tvl},
            {'measure': 'supply', 'figure': tvl_on_vault},
            {'measure': 'collateral_ratio', 'figure': adjusted_redeem_ratio}
        ]) as measured
    from core.ratio_history_versions
    union all
    select
        'ratio' as series,
        vault_address,
        observed_at as fact_at,
        '' as part,
        null as superseded_at,
        unnest([
            {'measure': 'backing', 'figure': actual_tvl},
            {'measure': 'supply', 'figure': tvl_on_vault},
            {'measure': 'collateral_ratio', 'figure': adjusted_redeem_ratio}
        ]) as measured
    from core.ratio_history
    union all
    select
        'pnl' as series,
        vault_address,
        snapshot_at as fact_at,
        '' as part,
        _superseded_at as superseded_at,
        unnest([
            {'measure': 'pnl_usd', 'figure': unrealized_pnl},
            {'measure': 'pnl_in_asset', 'figure': unrealized_pnl_in_asset}
        ]) as measured
    from core.pnl_history_versions
    union all
    select
        'pnl' as series,
        vault_address,
        snapshot_at as fact_at,
        '' as part,
        null as superseded_at,
        unnest([
            {'measure': 'pnl_usd', 'figure': unrealized_pnl},
            {'measure': 'pnl_in_asset', 'figure': unrealized_pnl_in_asset}
        ]) as measured
    from core.pnl_history
    union all
    select
        if(is_smoothed, 'apy smoothed', 'apy unsmoothed') as series,
        vault_address,
        date::timestamp as fact_at,
        averaging_period_days::varchar as part,
        _superseded_at as superseded_at,
        unnest([
            {'measure': 'apy', 'figure': apy}
        ]) as measured
    from core.apy_history_versions
    union all
    select
        if(is_smoothed, 'apy smoothed', 'apy unsmoothed') as series,
        vault_address,
        date::timestamp as fact_at,
        averaging_period_days::varchar as part,
        null as superseded_at,
        unnest([
            {'measure': 'apy', 'figure': apy}
        ]) as measured
    from core.apy_history
    union all
    select
        'allocations' as series,
        vault_address,
        date::timestamp as fact_at,
        concat(chain_id, ' ', protocol) as part,
        _superseded_at as superseded_at,
        unnest([
            {'measure': 'value', 'figure': value},
            {'measure': 'share', 'figure': share}
        ]) as measured
    from core.allocation_history_versions
    union all
    select
        'allocations' as series,
        vault_address,
        date::timestamp as fact_at,
        concat(chain_id, ' ', protocol) as part,
        null as superseded_at,
        unnest([
            {'measure': 'value', 'figure': value},
            {'measure': 'share', 'figure': share}
        ]) as measured
    from core.allocation_history
),

figures as (
    select
        series,
        vault_address,
        fact_at,
        superseded_at,
        measured.measure as measure,
        measured.figure as figure,
        lead(measured.figure) over versions as next_figure,
        lead(series) over versions is null as is_last
    from measures
    window versions as (
        partition by series, vault_address, fact_at, part, measured.measure
        order by superseded_at nulls last
    )
),

-- The last version is the present value, unless it was superseded by none: then the fact was retired.
revisions as (
    select
        *,
        is_last as is_retired,
        abs(next_figure - figure) as change
    from figures
    where
        superseded_at is not null
        and case when is_last then figure is not null else next_figure is distinct from figure end
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
    revisions.measure,
    count(*) filter (not revisions.is_retired) as revisions,
    count(*) filter (revisions.is_retired) as retired,
    count(distinct revisions.fact_at) as facts_revised,
    min(revisions.fact_at) as oldest_fact_at,
    max(revisions.fact_at) as newest_fact_at,
    max(revisions.change) as widest_change,
    avg(revisions.change order by revisions.change) as mean_change,
    max(revisions.superseded_at) as newest_revision_at
from revisions
inner join vaults
    on revisions.vault_address = vaults.vault_address
group by vaults.vault_name, vaults.vault_address, revisions.series, revisions.measure
order by vaults.vault_name, vaults.vault_address, revisions.series, revisions.measure
