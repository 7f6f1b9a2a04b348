-- Tables of the warehouse without a row.
select concat(schema_name, '.', table_name) as name
from duckdb_tables()
where database_name = 'vaulthouse' and estimated_size = 0
