-- The marts with parameters, such as `mart.vault_period`, and what they are made of. `mart.<table>_as_of` is none.
select
    schema_name || '.' || function_name as name,
    array_to_string(parameters, ',') as parameters,
    macro_definition as definition
from duckdb_functions()
where
    database_name = current_catalog()
    and schema_name = 'mart'
    and function_type = 'table_macro'
    and function_name not like '%\_as\_of' escape '\'
order by name
