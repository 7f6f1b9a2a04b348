with

-- APRs come as fractions or as percent, all alike: the median shows which.
aprs as (
    select
        loan_id,
        state,
        apr,
        lender_apr,
        valid_from,
        median(apr) over () as usual_apr,
        count(apr) over () as loans
    from core.loans
    where is_current
)

select
    loan_id,
    state,
    apr,
    lender_apr,
    usual_apr,
    valid_from
from aprs
where loans > 2 and usual_apr > 0 and greatest(apr, lender_apr) > $tolerance * usual_apr
