-- What did we know when the decision was taken, and what do we know of the same hours now?
-- For an auditor, and whoever has to explain a decision.
--
--     vault: address or name of a vault; every vault unless it is set
--     instant: an instant in UTC, such as 2026-06-01T13:00; when the newest run began unless it is set
--     hours: hours before the instant; 48 unless it is set
--
-- mart.<table>_as_of(instant) returns what had been loaded by then. status: `same`; `revised`: the service has
-- reported another figure since; `came later`: the hour was not there yet; `retired`: the service no longer has it.
-- Ratios are fractions.
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
    from mart.vault_addresses
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
),

-- A point is in one of the two or in both.
compared as (
    select
        vault_address,
        observed_at,
        known_then.observed_at is not null as was_known,
        known_now.observed_at is not null as is_known,
        known_then.collateral_ratio as ratio_then,
        known_now.collateral_ratio as ratio_now
    from known_then
    full join known_now using (vault_address, observed_at)
)

select
    vaults.vault_name,
    vaults.vault_address,
    compared.observed_at,
    case
        when not compared.was_known then 'came later'
        when not compared.is_known then 'retired'
        when compared.ratio_then is distinct from compared.ratio_now then 'revised'
        else 'same'
    end as status,
    compared.ratio_then as collateral_ratio_then,
    compared.ratio_now as collateral_ratio_now,
    compared.ratio_now - compared.ratio_then as difference
from vaults
inner join compared
    on vaults.vault_address = compared.vault_address
cross join instant
where
    compared.observed_at <= instant.known_at
    and compared.observed_at > instant.known_at - to_hours(coalesce(getvariable('hours'), 48)::integer)
order by vaults.vault_name, vaults.vault_address, compared.observed_at
