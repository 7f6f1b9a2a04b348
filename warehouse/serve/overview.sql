-- One row for each vault: what an allocator looks at first, each figure with its instant.
with

latest as (
    select
        latest.*,
        clock.now_at,
        clock.now_at - to_seconds(round(latest.lowest_health_age_hours * 3600)) as lowest_health_at
    from mart.vault_latest as latest
    inner join mart.clock on true
),

late_series as (
    select
        chain_id,
        vault_address,
        count(*) as series,
        count(*) filter (is_stale) as stale_series,
        min(newest_at) as oldest_at,
        arg_min(series, newest_at order by series) as oldest_series
    from mart.freshness
    group by chain_id, vault_address
),

-- How old what a figure is made of may be, as in mart.freshness and mart.pipeline_freshness.
targets as (
    select series as subject, max(target_hours) as target_hours
    from mart.freshness
    group by series
    union all
    select pipeline as subject, target_hours
    from mart.pipeline_freshness
),

instants as (
    unpivot (
        select
            chain_id,
            vault_address,
            now_at,
            ratio_at,
            pnl_at,
            nav_at,
            lowest_health_at,
            allocation_on::timestamp as allocation_on,
            apy_smoothed_on::timestamp as apy_smoothed_on,
            apy_unsmoothed_on::timestamp as apy_unsmoothed_on
        from latest
    )
    on ratio_at, pnl_at, nav_at, lowest_health_at, allocation_on, apy_smoothed_on, apy_unsmoothed_on
    into name as_of value figure_at
),

-- A list of the instants that are older than their target, by the name of their column.
late_figures as (
    select
        instants.chain_id,
        instants.vault_address,
        list(distinct instants.as_of order by instants.as_of) as late
    from instants
    inner join targets
        on
            case instants.as_of
                when 'ratio_at' then targets.subject = 'ratio'
                when 'pnl_at' then targets.subject = 'pnl'
                when 'nav_at' then targets.subject = 'positions'
                when 'lowest_health_at' then targets.subject = 'health_factors'
                when 'allocation_on' then targets.subject = 'allocation'
                when 'apy_smoothed_on' then starts_with(targets.subject, 'apy_smoothed')
                when 'apy_unsmoothed_on' then starts_with(targets.subject, 'apy_unsmoothed')
            end
    where instants.now_at - instants.figure_at > to_hours(targets.target_hours)
    group by instants.chain_id, instants.vault_address
)

select
    latest.*,
    -- Not the TVL of the vault list: the service does not say what it is in.
    latest.nav_usd as tvl_usd,
    late_figures.late,
    late_series.series,
    late_series.stale_series,
    late_series.oldest_series,
    late_series.oldest_at
from latest
left join late_series using (chain_id, vault_address)
left join late_figures using (chain_id, vault_address)
order by latest.is_ended, latest.vault_name, latest.chain_id, latest.vault_address
