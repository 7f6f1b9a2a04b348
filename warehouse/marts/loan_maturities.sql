with

buckets as (
    select
        unnest([1, 2, 3, 4, 5, 6, 7, 8]) as place,
        unnest([
            'overdue',
            '0 to 7 days',
            '8 to 30 days',
            '31 to 90 days',
            '91 to 180 days',
            '181 to 365 days',
            'over 365 days',
            'no date'
        ]) as bucket,
        unnest([null, 0, 8, 31, 91, 181, 366, null]) as from_days,
        unnest([-1, 7, 30, 90, 180, 365, null, null]) as to_days
),

loans as (
    select
        *,
        coalesce(principal_token_chain_id::varchar, '-')
        || ':'
        || coalesce(principal_token_address, principal_token_symbol, '-') as token_id
    from mart.loan_book
    where is_active is distinct from false
),

tokens as (
    select
        token_id,
        max(principal_token_chain_id) as chain_id,
        max(principal_token_symbol) as principal_token_symbol,
        max(principal_token_address) as principal_token_address,
        max(coalesce(principal_token_address, principal_token_symbol)) is not null as is_known
    from loans
    group by token_id
),

-- Each loan by the day it matures and by the day of its next payment.
maturing as (
    select
        loans.token_id,
        buckets.place,
        count(*) as loans,
        -- If one of them has no figure, there is no sum.
        case
            when count(loans.principal_amount) = count(*)
                then sum(loans.principal_amount order by loans.principal_amount)
        end as principal_amount,
        case
            when count(loans.principal_amount * loans.apr) = count(*)
                then sum(loans.principal_amount * loans.apr order by loans.principal_amount * loans.apr)
        end as apr_of_principal
    from loans
    inner join buckets
        on
            case
                when loans.days_to_maturity is null then buckets.bucket = 'no date'
                else
                    buckets.bucket <> 'no date'
                    and loans.days_to_maturity >= coalesce(buckets.from_days, loans.days_to_maturity)
                    and loans.days_to_maturity <= coalesce(buckets.to_days, loans.days_to_maturity)
            end
    group by loans.token_id, buckets.place
),

payments as (
    select
        loans.token_id,
        buckets.place,
        count(*) as payments,
        case
            when count(loans.next_payment_amount) = count(*)
                then sum(loans.next_payment_amount order by loans.next_payment_amount)
        end as payment_amount
    from loans
    inner join buckets
        on
            case
                when loans.days_to_next_payment is null then buckets.bucket = 'no date'
                else
                    buckets.bucket <> 'no date'
                    and loans.days_to_next_payment
                    >= coalesce(buckets.from_days, loans.days_to_next_payment)
                    and loans.days_to_next_payment
                    <= coalesce(buckets.to_days, loans.days_to_next_payment)
            end
    where loans.next_payment_amount is not null or loans.next_payment_due_at is not null
    group by loans.token_id, buckets.place
),

-- Every rung of every token: one without loans is a row of zeros. Amounts of tokens that are not known do not add up.
rungs as (
    select
        tokens.* exclude (is_known),
        buckets.*,
        coalesce(maturing.loans, 0) as loans,
        case when maturing.loans is null then 0 when tokens.is_known then maturing.principal_amount end
            as principal_amount,
        maturing.apr_of_principal,
        coalesce(payments.payments, 0) as payments,
        case when payments.payments is null then 0 when tokens.is_known then payments.payment_amount end
            as payment_amount
    from tokens
    inner join buckets on true
    left join maturing using (token_id, place)
    left join payments using (token_id, place)
)

select
    token_id,
    place,
    chain_id,
    principal_token_symbol,
    principal_token_address,
    bucket,
    from_days,
    to_days,
    loans,
    principal_amount,
    apr_of_principal / nullif(principal_amount, 0) as apr,
    case
        when count(principal_amount) over ladder = count(*) over ladder then sum(principal_amount) over ladder
    end as cumulative_principal,
    -- Where a rung is negative the others are no parts of a whole.
    case
        when count(principal_amount) over token = count(*) over token and min(principal_amount) over token >= 0
            then principal_amount / nullif(sum(principal_amount) over token, 0)
    end as share_of_principal,
    payments,
    payment_amount
from rungs
window
    ladder as (partition by token_id order by place rows unbounded preceding),
    token as (
        partition by token_id
        order by place
        rows between unbounded preceding and unbounded following
    )
