-- May I use the figures of this vault today?
-- For anyone new to the warehouse: run this first.
--
--     vault: address or name of a vault; every vault unless it is set
--     days: newest days whose completeness counts; 30 unless it is set
--
-- One row for each vault and series. verdict is the first that applies: `no facts`; `stale`: the newest fact is
-- older than its target; `holes`: hours or days within the newest `days` are missing, in quarantine or out of reach;
-- `contradicted`: two figures that the service reports for this vault, of whatever series, differ by more than their
-- tolerance (mart.reconciliation); `ok`. share_present is a fraction of the expected hours or days, those for which
-- the service has no point included, which are no holes; null where none is expected. A closed vault becomes stale: see
-- status.
with

freshness as (
    select
        chain_id,
        vault_address,
        vault_name,
        status,
        series,
        newest_at,
        age_hours,
        target_hours,
        is_stale,
        last_attempted_at,
        last_outcome
    from mart.freshness
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
),

-- A series requested by address alone is the same on every chain of the address.
expected as (
    select
        completeness.vault_address,
        case when series.is_by_chain then completeness.chain_id end as chain_id,
        completeness.series,
        completeness.expected_at,
        completeness.state
    from mart.completeness
    inner join mart.series
        on completeness.series = series.series
),

contradictions as (
    select
        chain_id,
        vault_address,
        count(*) filter (not is_within_tolerance) as contradictions
    from mart.reconciliation
    group by chain_id, vault_address
),

warnings as (
    select
        chain_id,
        vault_address,
        count(*) as warnings
    from core.observation_warnings
    where is_current
    group by chain_id, vault_address
),

complete as (
    select
        freshness.chain_id,
        freshness.vault_address,
        freshness.series,
        count(*) as expected,
        count(*) filter (expected.state = 'present') as present,
        count(*) filter (expected.state not in ('present', 'empty')) as holes
    from freshness
    inner join expected
        on
            freshness.vault_address = expected.vault_address
            and freshness.chain_id = coalesce(expected.chain_id, freshness.chain_id)
            and freshness.series = expected.series
            and expected.expected_at > freshness.newest_at - to_days(coalesce(getvariable('days'), 30)::integer)
    group by freshness.chain_id, freshness.vault_address, freshness.series
)

select
    freshness.vault_name,
    freshness.vault_address,
    freshness.status,
    freshness.series,
    case
        when freshness.newest_at is null then 'no facts'
        when freshness.is_stale then 'stale'
        when complete.holes > 0 then 'holes'
        when contradictions.contradictions > 0 then 'contradicted'
        else 'ok'
    end as verdict,
    freshness.newest_at,
    freshness.age_hours,
    freshness.target_hours,
    complete.present / complete.expected as share_present,
    complete.expected - complete.present as not_present,
    coalesce(contradictions.contradictions, 0) as contradictions,
    coalesce(warnings.warnings, 0) as warnings,
    freshness.last_attempted_at,
    freshness.last_outcome
from freshness
left join complete
    on
        freshness.chain_id = complete.chain_id
        and freshness.vault_address = complete.vault_address
        and freshness.series = complete.series
left join contradictions
    on freshness.chain_id = contradictions.chain_id and freshness.vault_address = contradictions.vault_address
left join warnings
    on freshness.chain_id = warnings.chain_id and freshness.vault_address = warnings.vault_address
order by freshness.vault_name, freshness.vault_address, freshness.chain_id, freshness.series
