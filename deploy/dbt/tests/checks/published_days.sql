-- Written by `make docs` from warehouse/checks/published_days.sql: The hours of ratio and PnL that were stored for publication are still there, and so are the lowest and the highest of each day, in months that no run has changed since, unless the marts are defined otherwise by now.
{{ config(severity='error', meta={'check': 'published_days'}) }}

with
months as (
    select 'ratio' as series, month
    from {{ source('ops', 'partition_changes') }}
    where exists (select 1 from {{ source('ops', 'stored_marts') }} where name = 'ratio_days')
    group by month
    having
        max(changed_at) filter (table_schema = 'mart_tables' and table_name = 'ratio_days')
        = max(changed_at) filter (table_schema = 'core' and table_name = 'ratio_history')
    union all
    select 'pnl' as series, month
    from {{ source('ops', 'partition_changes') }}
    where exists (select 1 from {{ source('ops', 'stored_marts') }} where name = 'pnl_days')
    group by month
    having
        max(changed_at) filter (table_schema = 'mart_tables' and table_name = 'pnl_days')
        = max(changed_at) filter (table_schema = 'core' and table_name = 'pnl_history')
),

then_known as (
    select
        'ratio' as series,
        vault_address,
        day,
        hours,
        collateral_ratio_low as low,
        collateral_ratio_high as high
    from {{ var('vaulthouse_database', 'vaulthouse') }}.mart_tables.ratio_days
    union all
    select
        'pnl' as series,
        vault_address,
        day,
        hours,
        pnl_usd_low as low,
        pnl_usd_high as high
    from {{ var('vaulthouse_database', 'vaulthouse') }}.mart_tables.pnl_days
),

facts as (
    select
        'ratio' as series,
        vault_address,
        observed_at as fact_at,
        collateral_ratio as figure
    from {{ source('mart', 'ratio_points') }}
    union all
    select
        'pnl' as series,
        vault_address,
        snapshot_at as fact_at,
        unrealized_pnl as figure
    from {{ source('core', 'pnl_history') }}
),

now_known as (
    select
        series,
        vault_address,
        fact_at::date as day,
        bit_or(1::integer << date_part('hour', fact_at)::integer) as hours,
        min(figure) as low,
        max(figure) as high
    from facts
    group by series, vault_address, fact_at::date
)

select
    then_known.vault_address,
    then_known.series,
    then_known.day,
    bit_count(then_known.hours) as hours_then,
    bit_count(then_known.hours & coalesce(now_known.hours, 0)) as hours_now,
    then_known.low as low_then,
    now_known.low as low_now,
    then_known.high as high_then,
    now_known.high as high_now
from then_known
semi join months
    on then_known.series = months.series and strftime(then_known.day, '%Y-%m') = months.month
left join now_known
    on
        then_known.series = now_known.series
        and then_known.vault_address = now_known.vault_address
        and then_known.day = now_known.day
where
    then_known.hours & coalesce(now_known.hours, 0) <> then_known.hours
    or then_known.low is distinct from now_known.low
    or then_known.high is distinct from now_known.high
