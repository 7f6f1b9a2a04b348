-- Loans as the loan book has them, and whether their details were read after the book last changed.
-- The loan book comes first in a run, so that a task that ended after the change was read after it. For as long as a response
-- stays in its cache (§8: 60 s), the service may answer with details that another client was sent before the change. They
-- would stay until the book changes again, for good if the loan left it, so what was read that early is read once more. An
-- absence (§7: 404) is remembered as any other, for `unsupportedRetryDays`; one of a loan that was read before and left the
-- book agrees with the book, and is not suspicious for long.
with

newest as (
    select *
    from core.loans
    where chain_id is not null and loan_address is not null
    qualify row_number() over (partition by loan_id order by valid_from desc) = 1
),

read_before as (
    select
        entity,
        max(finished_at) filter (outcome <> 'suspicious_empty') as read_at,
        max(finished_at) as responded_at
    from ops.tasks
    where pipeline = 'loan_details' and outcome in ('loaded', 'unchanged', 'suspicious_empty')
    group by entity
)

select
    newest.loan_id,
    newest.chain_id,
    newest.loan_address,
    newest.loan_address_wire as wire_address,
    newest.borrower_address,
    newest.lender_address,
    coalesce(
        case when newest.valid_to is null then read_before.read_at else read_before.responded_at end
        >= coalesce(newest.valid_to, newest.valid_from) + interval 60 seconds,
        false
    ) as is_known
from newest
left join read_before
    on newest.loan_id = read_before.entity
order by newest.loan_id
