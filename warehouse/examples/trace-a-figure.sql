-- Where does this figure come from: which run, which request, which answer?
-- For an auditor who points at a number.
--
--     vault: address or name of a vault; every vault unless it is set
--     at: instant of the ratio point; each vault's newest unless it is set
--
-- Every row of core has _run_id and _response_id. body_sha256 is the digest of the archived response;
-- `vaulthouse trace` follows the same path and prints the bytes themselves. versions_before counts earlier values
-- for the same instant.
with

ratios as (
    select
        vault_address,
        observed_at,
        adjusted_redeem_ratio,
        _run_id,
        _response_id,
        _first_seen_at,
        _updated_at
    from core.ratio_history
    where getvariable('at')::timestamp is null or observed_at = getvariable('at')::timestamp
),

vaults as (
    select
        vault_address,
        vault_name
    from mart.vault_addresses
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
),

versions as (
    select
        vault_address,
        observed_at,
        count(*) as versions_before
    from core.ratio_history_versions
    group by vault_address, observed_at
),

responses as (
    select
        response_id,
        method,
        url,
        status,
        received_at,
        body_sha256,
        archive_file
    from raw.responses
),

runs as (
    select
        run_id,
        command,
        started_at,
        base_url
    from ops.runs
),

newest as (
    select
        vault_address,
        observed_at,
        adjusted_redeem_ratio,
        _run_id,
        _response_id,
        _first_seen_at,
        _updated_at
    from ratios
    qualify row_number() over (partition by vault_address order by observed_at desc) = 1
)

select
    vaults.vault_name,
    vaults.vault_address,
    newest.observed_at,
    newest.adjusted_redeem_ratio as collateral_ratio,
    newest._first_seen_at as first_seen_at,
    newest._updated_at as updated_at,
    coalesce(versions.versions_before, 0) as versions_before,
    newest._run_id as run_id,
    runs.started_at as run_started_at,
    newest._response_id as response_id,
    responses.method,
    responses.url,
    responses.status,
    responses.received_at,
    responses.body_sha256,
    responses.archive_file
from newest
inner join vaults
    on newest.vault_address = vaults.vault_address
left join versions
    on
        newest.vault_address = versions.vault_address
        and newest.observed_at = versions.observed_at
left join responses
    on newest._response_id = responses.response_id
left join runs
    on newest._run_id = runs.run_id
order by vaults.vault_name, vaults.vault_address
