-- The condition of a warehouse that is attached as `inspected`: how many tables it has, its newest run, and the fingerprint
-- of its layout.
select
    (
        select count(*)::double
        from information_schema.tables
        where table_catalog = 'inspected' and table_type = 'BASE TABLE'
    ) as tables,
    (
        select run_id || ' (' || command || '): ' || coalesce(outcome, 'did not end')
        from inspected.ops.runs
        order by started_at desc
        limit 1
    ) as last_run,
    (select any_value(fingerprint) from inspected.ops.layout) as layout
