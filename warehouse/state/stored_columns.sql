-- The columns of each table in the order in which they are stored, which differs from the declared order once one was added.
select
    concat(schema_name, '.', table_name) as name,
    list(column_name order by column_index) as columns
from duckdb_columns()
where database_name = 'vaulthouse'
group by all
