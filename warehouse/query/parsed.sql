-- A query as DuckDB parses it, as JSON, with the place of each name in the text. Nothing of it is run.
select json_serialize_sql($sql::varchar) as parsed
