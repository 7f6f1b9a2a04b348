-- What a publication would be made from: the rows that are news to readers (facts, gaps, quarantine, drift and checks; tasks,
-- cursors and archived responses alone are not, but other places of those are), how marts and dictionary are made, and the version
-- of DuckDB.
select
    (
        select
            coalesce(
                md5(
                    string_agg(
                        concat_ws(' ', table_schema, table_name, month, epoch_us(changed_at)),
                        ','
                        order by table_schema, table_name, month
                    )
                ),
                ''
            )
        from ops.partition_changes
        where
            table_schema = 'core'
            or (
                table_schema = 'ops'
                and table_name in ('gaps', 'quarantine', 'schema_drift', 'check_results')
            )
            or (table_schema = 'raw' and table_name = 'places')
    ) as content,
    (
        select coalesce(md5(string_agg(concat_ws(' ', name, fingerprint), ',' order by name)), '')
        from ops.view_fingerprints
        -- That of the source files, which may change although nothing they make does.
        where name <> '*'
    ) as marts,
    (select library_version from pragma_version()) as duckdb
