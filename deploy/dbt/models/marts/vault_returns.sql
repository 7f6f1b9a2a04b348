-- Written by `make docs` from the data dictionary.
select * from {{ source('mart', 'vault_returns') }}
