-- What did we know when the decision was taken, and what do we know of the same hours now?
-- For an auditor, and whoever has to explain a decision.
--
--     vault: address or name of a vault; every vault unless it is set
--     instant: an instant in UTC, such as 2026-06-01T13:00; when the newest run began unless it is set
--     hours: hours before the instant; 48 unless it is set
--
-- mart.<table>_as_of(instant) returns what had been loaded by then. status: `same`; `revised`: the service has
-- reported another figure since; `came later`: the hour was not there yet. Ratios are fractions.
with

instant as (
    select coalesce(getvariable('instant')::timestamp, (select max(started_at) from ops.runs)) as known_at
),

known_then as (
    select
        vault_address,
        observed_at,
        adjusted_redeem_ratio as collateral_ratio
    from
        mart.ratio_history_as_of(
            coalesce(getvariable('instant')::timestamp, (select max(started_at) from ops.runs))
        )
),

known_now as (
    select
        vault_address,
        observed_at,
        adjusted_redeem_ratio as collateral_ratio
    from core.ratio_history
),

vaults as (
    select
        vault_address,
        vault_name
    from core.vaults
    where
        is_current
        and (getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name))
)

select
    vaults.vault_name,
    vaults.vault_address,
    known_now.observed_at,
    case
        when known_then.observed_at is null then 'came later'
        when known_then.collateral_ratio is distinct from known_now.collateral_ratio
            then 'revised'
        else 'same'
    end as status,
    known_then.collateral_ratio as collateral_ratio_then,
    known_now.collateral_ratio as collateral_ratio_now,
    known_now.collateral_ratio - known_then.collateral_ratio as difference
from vaults
inner join known_now
    on vaults.vault_address = known_now.vault_address
cross join instant
left join known_then
    on
        known_now.vault_address = known_then.vault_address
        and known_now.observed_at = known_then.observed_at
where
    known_now.observed_at <= instant.known_at
    and known_now.observed_at > instant.known_at - to_hours(coalesce(getvariable('hours'), 48)::integer)
order by vaults.vault_name, vaults.vault_address, known_now.observed_at
