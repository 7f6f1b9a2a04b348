-- Rows of the core tables, estimated from the storage and so without reading them.
select
    schema_name || '.' || table_name as "table",
    estimated_size as rows,
from duckdb_tables()
where schema_name = 'core' and not starts_with(database_name, 'temp') and estimated_size > 0
order by all
