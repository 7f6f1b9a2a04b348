-- The publication that this copy belongs to.
select run_id, published_at, parquet_files, parquet_rows
from ops.publications
order by published_at desc
limit 1
