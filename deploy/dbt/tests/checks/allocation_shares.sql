-- Written by `make docs` from warehouse/checks/allocation_shares.sql: The shares of a vault's protocols on a day add up to no more than the whole (1, or 100 where the vault's shares are percent) and this part of it, and to no less than a tenth of what they usually add up to.
{{ config(severity='warn', meta={'check': 'allocation_shares'}) }}

with

days as (
    select
        vault_address,
        chain_id,
        date,
        sum(share order by share) as shares
    from {{ source('core', 'allocation_history') }}
    group by vault_address, chain_id, date
    having count(share) > 0
),
usual as (
    select
        *,
        median(shares) over (partition by vault_address, chain_id) as usual_shares,
        case when usual_shares > 10 then 100 else 1 end as whole
    from days
)

select
    vault_address,
    chain_id,
    date,
    shares,
    whole
from usual
where shares > whole * (1 + 0.01::double) or shares < usual_shares / 10
