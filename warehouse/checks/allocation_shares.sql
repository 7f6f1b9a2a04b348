with

days as (
    select
        vault_address,
        chain_id,
        date,
        sum(share order by share) as shares
    from core.allocation_history
    group by vault_address, chain_id, date
    having count(share) > 0
),

-- Shares come as fractions or as percent, and a vault's always as one of them: the usual sum shows which.
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
where shares > whole * (1 + $tolerance) or shares < usual_shares / 10
