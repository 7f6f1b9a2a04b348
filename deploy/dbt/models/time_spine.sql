-- Every day of the warehouse, which MetricFlow fills periods and compares them with.
select unnest(generate_series(min(day), max(day), interval 1 day))::date as day
from {{ source('mart', 'vault_daily') }}
