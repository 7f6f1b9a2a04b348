-- How much do we have with each OTC counterparty, and is the margin posted?
-- For a risk officer for the counterparty limits.
--
--     counterparty: id of a counterparty; all of them unless it is set
--
-- Units are as sent (USD, in what has been seen of the platform's OTC figures). value is the sum of the positions;
-- null where the service sends no value under a known name: look in core.otc_positions.extra then. required
-- and posted are null where one of the requirements has none. shortfall is what is required and not posted, for each
-- requirement separately: too much for one does not help another. coverage is posted over required. Both are of the
-- requirements that have both figures; coverage is null where nothing is required.
with

positions as (
    select
        counterparty_id,
        subaccount_address,
        value
    from core.otc_positions
    where is_current
),

margins as (
    select
        otc_counterparty_id as counterparty_id,
        payer_address,
        required,
        posted
    from core.otc_margin_requirements
    where is_current
),

held as (
    select
        counterparty_id,
        count(*) as positions,
        count(distinct subaccount_address) as subaccounts,
        count(value) as positions_with_value,
        sum(value) as value
    from positions
    group by counterparty_id
),

margined as (
    select
        counterparty_id,
        count(*) as requirements,
        count(distinct payer_address) as payers,
        case when count(required) = count(*) then sum(required) end as required,
        case when count(posted) = count(*) then sum(posted) end as posted,
        sum(greatest(required - posted, 0)) filter (required is not null and posted is not null)
            as shortfall,
        sum(posted) filter (required is not null and posted is not null)
        / nullif(sum(required) filter (required is not null and posted is not null), 0) as coverage
    from margins
    group by counterparty_id
)

select
    coalesce(held.counterparty_id, margined.counterparty_id) as counterparty_id,
    coalesce(held.positions, 0) as positions,
    coalesce(held.subaccounts, 0) as subaccounts,
    coalesce(held.positions_with_value, 0) as positions_with_value,
    held.value,
    coalesce(margined.requirements, 0) as requirements,
    margined.payers,
    margined.required,
    margined.posted,
    margined.shortfall,
    margined.coverage
from held
full join margined
    on held.counterparty_id = margined.counterparty_id
where
    getvariable('counterparty')::varchar is null
    or getvariable('counterparty')::varchar in (held.counterparty_id, margined.counterparty_id)
order by margined.shortfall desc nulls last, counterparty_id
