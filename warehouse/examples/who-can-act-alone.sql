-- Which roles of a vault are in the hands of a single key?
-- For an allocator's risk officer in the due diligence.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- acts_alone is true where the holder is not a Safe, or is one that needs one signature; null where the service
-- does not say whether it is a Safe, or warns that it could not read the roles' custody data (see warnings): a Safe
-- may then look like another wallet. Another contract (a timelock, a governor) does not count as a Safe: look at it.
with

roles as (
    select
        chain_id,
        vault_address,
        role,
        holder_address,
        is_safe,
        safe_threshold,
        valid_from
    from core.roles
    where is_current and holder_address <> '-'
),

role_warnings as (
    select
        chain_id,
        vault_address,
        string_agg(warning, ' | ' order by warning) as warnings
    from core.observation_warnings
    where is_current and endpoint = 'roles'
    group by chain_id, vault_address
),

vaults as (
    select
        chain_id,
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
    roles.role,
    roles.holder_address,
    roles.is_safe,
    roles.safe_threshold,
    case
        when role_warnings.warnings is not null then null
        when roles.is_safe then roles.safe_threshold <= 1
        else not roles.is_safe
    end as acts_alone,
    role_warnings.warnings,
    count(*) over (
        partition by roles.chain_id, roles.vault_address, roles.holder_address
    ) as roles_held,
    roles.valid_from as seen_at
from roles
inner join vaults
    on
        roles.chain_id = vaults.chain_id
        and roles.vault_address = vaults.vault_address
left join role_warnings
    on
        roles.chain_id = role_warnings.chain_id
        and roles.vault_address = role_warnings.vault_address
order by
    acts_alone desc nulls last,
    vaults.vault_name,
    vaults.chain_id,
    vaults.vault_address,
    roles.role,
    roles.holder_address
