with

spelled as (
    select protocol as spelling from core.allocation_history
    union
    select protocol as spelling from core.protocol_positions
    union
    select protocol as spelling from core.subaccount_portfolio_positions
),

named as (
    select spelling, trim(regexp_replace(lower(spelling), '[\s._-]+', ' ', 'g')) as normal_form
    from spelled
    where spelling is not null
)

select
    named.spelling,
    named.normal_form,
    -- Of several spellings that are not declared, always the same one: capitals sort first.
    coalesce(declared.protocol, min(trim(named.spelling)) over (partition by named.normal_form)) as protocol,
    declared.version,
    declared.protocol is not null as is_declared
from named
left join mart.protocols as declared using (normal_form)
