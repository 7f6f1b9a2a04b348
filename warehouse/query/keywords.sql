-- The keywords that a query is likely to use.
select keyword_name as name
from duckdb_keywords()
where
    keyword_category in ('reserved', 'type_function')
    or keyword_name in (
        'between', 'by', 'coalesce', 'count', 'date', 'exclude', 'explain', 'filter', 'interval', 'over', 'partition',
        'replace', 'timestamp', 'values', 'with'
    )
order by all
