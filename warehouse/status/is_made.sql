-- One row if the warehouse that is attached as `inspected` has tables. Another process may have made a lake and not yet its
-- tables, which it makes all at once.
select 1 as is_made
from information_schema.tables
where table_catalog = 'inspected' and table_type = 'BASE TABLE'
limit 1
