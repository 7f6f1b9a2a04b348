-- Written by `make docs` from the data dictionary.
select * from {{ source('mart', 'withdrawal_queue_daily') }}
