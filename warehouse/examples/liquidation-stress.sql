-- If collateral lost a fifth of its value, who could be liquidated?
-- For a risk officer before a volatile week.
--
--     fall: loss of the collateral's value, a fraction; 0.2 unless it is set
--
-- A health factor is counted collateral over debt: it falls in proportion, as long as the discount factors stay
-- the same (core.discount_factors: larger sizes count for less). shortfall_usd is the collateral that the
-- subaccounts would need to be back at 1.0; null where the collateral of one of them is not known. One row for each
-- band before and after: read it as a table of transitions. Subaccounts that are in no list any more are left out.
with

health as (
    select
        subaccount_address,
        health_factor,
        band,
        collateral_usd,
        debt_usd
    from mart.subaccount_health
    where has_debt and is_listed is distinct from false
),

stressed as (
    select
        subaccount_address,
        band,
        debt_usd,
        health_factor * (1 - coalesce(getvariable('fall'), 0.2)::double) as stressed_factor,
        -- greatest() skips nulls, but an unknown collateral is not a shortfall of zero.
        case
            when collateral_usd is not null
                then greatest(debt_usd - collateral_usd * (1 - coalesce(getvariable('fall'), 0.2)::double), 0)
        end as shortfall_usd
    from health
),

banded as (
    select
        stressed.subaccount_address,
        stressed.band,
        stressed.debt_usd,
        stressed.shortfall_usd,
        bands.band as stressed_band
    from stressed
    left join mart.health_bands as bands
        on
            stressed.stressed_factor is not null
            and coalesce(stressed.stressed_factor > bands.above, stressed.stressed_factor >= bands.at_least, true)
            and coalesce(stressed.stressed_factor <= bands.up_to, stressed.stressed_factor < bands.below, true)
)

select
    band,
    stressed_band,
    count(*) as subaccounts,
    case when count(debt_usd) = count(*) then sum(debt_usd) end as debt_usd,
    case when count(shortfall_usd) = count(*) then sum(shortfall_usd) end as shortfall_usd
from banded
group by band, stressed_band
order by band, stressed_band
