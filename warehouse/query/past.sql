-- How each table of core keeps its past: `history` (superseded versions aside), `versions` (those), `intervals` (rows with
-- valid_from and valid_to), or not at all; when the first run began; and the newest instant at which anything was stored,
-- microseconds since 1970: after a clock was set back it is ahead of the clock.
with

tables as (
    select
        table_name as name,
        bool_or(column_name = '_superseded_at') as is_superseded,
        bool_or(column_name = 'is_current') as has_intervals
    from information_schema.columns
    where table_catalog = current_catalog() and table_schema = 'core'
    group by table_name
)

select
    tables.name,
    case
        when tables.is_superseded then 'versions'
        when tables.has_intervals then 'intervals'
        when versions.name is not null then 'history'
    end as past,
    (select min(started_at) from ops.runs) as first_run_at,
    epoch_us(
        greatest(
            (select max(greatest(started_at, finished_at)) from ops.runs),
            (select max(published_at) from ops.publications)
        )
    )::double as newest_at
from tables
left join tables as versions on versions.name = tables.name || '_versions'
order by tables.name
