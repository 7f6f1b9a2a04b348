with

newest as (
    select vault_address, unnest(max(snapshot_at, 30)) as snapshot_at
    from core.pnl_history
    group by vault_address
),

-- The document states no cadence of PnL (§2.8), so how far apart the newest snapshots of a vault are says it.
distances as (
    select
        date_diff('second', lag(snapshot_at) over (partition by vault_address order by snapshot_at), snapshot_at)
        / 3600 as hours
    from newest
),

-- Twice the usual distance, as for facts of a day; for those of an hour three, since the run takes its time too.
pnl as (select greatest(3, ceil(2 * median(hours)))::integer as target_hours from distances)

select *
from (
    values
        ('ratio_history', 3),
        ('pnl_history', (select coalesce(target_hours, 3) from pnl)),
        ('positions', 3),
        ('apy_history', 48),
        ('allocation_history', 48),
        ('oracle_classification', 48),
        ('health_factors', 48),
        ('other', 48)
) as targets (pipeline, target_hours)
