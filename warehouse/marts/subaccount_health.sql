with

summaries as (select * from core.subaccount_summaries where is_current),

directory as (select * from core.subaccounts where is_current),

minimum as (select at_least as minimum_factor from mart.health_bands where band = 'moderate'),

-- All figures come from one reading: those of the summary are not mixed with those of a health factor. A calculation is
-- preferred while it is no older than its target (mart.pipeline_freshness), and until a summary is more than a day newer.
figures as (
    select debts.*
    from mart.subaccount_debt as debts
    inner join mart.clock on true
    qualify row_number() over (
        partition by debts.subaccount_address
        order by
            debts.source = 'health_factor' and debts.as_of_at >= clock.now_at - interval 48 hour desc,
            debts.as_of_at
            + case debts.source when 'health_factor' then interval 1 day else interval 0 day end
                desc,
            debts.source
    ) = 1
),

measured as (
    select
        figures.*,
        minimum.minimum_factor,
        bands.band,
        -- The factor is proportional to the collateral: at the minimum, minimum / factor of it is left. Without debt
        -- none has to be left.
        case
            when not figures.has_debt then figures.collateral_usd
            when figures.has_debt and figures.health_factor > 0
                then figures.collateral_usd * (1 - minimum.minimum_factor / figures.health_factor)
        end as collateral_to_spare_usd
    from figures
    inner join minimum on true
    left join mart.health_bands as bands
        on
            figures.health_factor is not null
            and coalesce(
                figures.health_factor > bands.above, figures.health_factor >= bands.at_least, true
            )
            and coalesce(
                figures.health_factor <= bands.up_to, figures.health_factor < bands.below, true
            )
),

-- A subaccount in no list is no longer requested: its last factor is not a current risk.
named as (
    select
        measured.*,
        names.name,
        names.is_listed,
        names.linked_vaults,
        names.vault_names,
        measured.has_debt and names.is_listed is distinct from false as is_at_risk
    from measured
    left join mart.subaccount_names as names using (subaccount_address)
),

ranked as (
    select
        *,
        case
            when is_at_risk
                then rank() over (partition by is_at_risk order by health_factor)
        end as risk_rank
    from named
)

select
    ranked.subaccount_address,
    ranked.name,
    summaries.type,
    directory.status,
    ranked.is_listed,
    ranked.health_factor,
    ranked.band,
    ranked.has_debt,
    ranked.risk_rank,
    ranked.collateral_usd,
    ranked.debt_usd,
    case when ranked.has_debt then ranked.health_factor - ranked.minimum_factor end as distance_to_minimum,
    ranked.collateral_to_spare_usd,
    directory.min_health_factor,
    ranked.health_factor < directory.min_health_factor as is_below_own_minimum,
    summaries.net_account_value as net_account_value_usd,
    ranked.source,
    ranked.as_of_at,
    date_diff('second', ranked.as_of_at, clock.now_at) / 3600 as age_hours,
    coalesce(ranked.linked_vaults, 0) as linked_vaults,
    ranked.vault_names
from ranked
inner join mart.clock on true
left join summaries using (subaccount_address)
left join directory using (subaccount_address)
