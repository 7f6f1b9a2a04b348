-- Written by `make docs` from warehouse/checks/safe_threshold_range.sql: A Safe needs at least one signature; not checked while the service warns that custody could not be read (§4.1).
{{ config(severity='error', meta={'check': 'safe_threshold_range'}) }}

select
    chain_id,
    vault_address,
    role,
    holder_address,
    occurrence,
    safe_threshold,
    valid_from
from {{ source('core', 'roles') }} as held
where
    held.is_current
    and held._updated_at >= make_timestamp(0::BIGINT)
    and held.safe_threshold < 1
    and held.is_safe is distinct from false
    and not exists (
        select 1
        from {{ source('core', 'observation_warnings') }} as warnings
        where
            warnings.is_current
            and warnings.endpoint = 'roles'
            and warnings.vault_address = held.vault_address
            and warnings.chain_id is not distinct from held.chain_id
    )
