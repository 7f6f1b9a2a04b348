select
    chain_id,
    vault_address,
    role,
    holder_address,
    occurrence,
    safe_threshold,
    valid_from
from core.roles as held
where
    held.is_current
    and held._updated_at >= $since
    and held.safe_threshold < 1
    -- Without is_safe, the threshold alone shows that there is a Safe.
    and held.is_safe is distinct from false
    -- Custody that could not be read comes with a warning (§4.1): the row is then unreliable.
    and not exists (
        select 1
        from core.observation_warnings as warnings
        where
            warnings.is_current
            and warnings.endpoint = 'roles'
            and warnings.vault_address = held.vault_address
            and warnings.chain_id is not distinct from held.chain_id
    )
