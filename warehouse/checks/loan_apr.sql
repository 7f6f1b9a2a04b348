with

-- APRs come as fractions or as percent, all alike: the median shows which.
aprs as (
    select
        loan_id,
        state,
        apr,
        lender_apr,
        valid_from
    from core.loans
    where is_current
),

usual as (
    select median(apr) as usual_apr, count(apr) as loans
    from aprs
)

select
    loan_id,
    state,
    apr,
    lender_apr,
    usual_apr,
    valid_from
from aprs
cross join usual
where loans > 2 and usual_apr > 0 and greatest(apr, lender_apr) > $tolerance * usual_apr
