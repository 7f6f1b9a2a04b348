-- The columns of every table and view of the published copy, with the comments of both.
select
    columns.schema_name as schema,
    columns.table_name as "table",
    columns.column_name as name,
    columns.data_type as type,
    coalesce(columns.comment, '') as comment,
    coalesce(tables.comment, views.comment, '') as table_comment
from duckdb_columns() as columns
left join duckdb_tables() as tables using (database_name, schema_name, table_name)
left join duckdb_views() as views
    on
        columns.database_name = views.database_name
        and columns.schema_name = views.schema_name
        and columns.table_name = views.view_name
where
    columns.database_name = current_catalog()
    and columns.schema_name in ('core', 'mart', 'meta', 'ops', 'raw')
order by columns.schema_name, columns.table_name, columns.column_index
