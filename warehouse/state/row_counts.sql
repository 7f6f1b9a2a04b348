-- How many rows each table of the warehouse holds, those included that were deleted and are not yet cleared away.
select
    concat(schema_name, '.', table_name) as name,
    estimated_size::double as row_count
from duckdb_tables()
where database_name = 'vaulthouse'
