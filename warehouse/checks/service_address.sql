with

runs as (
    select
        run_id,
        started_at,
        base_url,
        rows_inserted,
        regexp_extract(base_url, '^\w+://(\[[^\]]*\]|[^/:]+)', 1) as host
    from ops.runs
    where base_url is not null
),

newest as (
    select *
    from runs
    order by started_at desc, run_id desc
    limit 1
),

-- The last one before it that stored anything.
previous as (
    select runs.*
    from runs, newest
    where runs.rows_inserted > 0 and runs.started_at < newest.started_at
    order by runs.started_at desc, runs.run_id desc
    limit 1
)

select
    newest.run_id,
    newest.base_url,
    previous.base_url as previous_base_url,
    previous.run_id as previous_run_id
from newest, previous
where
    newest.host != previous.host
    -- Another platform brings other vaults.
    and exists (select 1 from core.vaults where _updated_at >= $since)
