-- The table macros of the published copy: `mart.ratio_history_as_of` and the like.
select distinct schema_name || '.' || function_name as name
from duckdb_functions()
where database_name = current_catalog() and function_type = 'table_macro'
order by all
