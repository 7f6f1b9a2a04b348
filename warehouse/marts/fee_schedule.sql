with

vaults as (
    select
        chain_id,
        vault_address,
        vault_name
    from core.vaults
    where is_current
),

fees as (
    select
        chain_id,
        vault_address,
        management_fee_pct,
        performance_fee_pct,
        valid_from,
        valid_to
    from core.fees
),

listed_fees as (
    select
        chain_id,
        vault_address,
        weekly_performance_fee_bps,
        valid_from,
        valid_to
    from core.vaults
    where weekly_performance_fee_bps is not null
),

detailed_fees as (
    select
        chain_id,
        vault_address,
        management_fee_pct,
        performance_fee_pct,
        weekly_performance_fee_bps,
        valid_from,
        valid_to
    from core.vault_details
    where
        management_fee_pct is not null
        or performance_fee_pct is not null
        or weekly_performance_fee_bps is not null
),

-- From here on what a vault's own page says of the two no longer counts.
first_served as (
    select
        chain_id,
        vault_address,
        min(valid_from) as first_served_at
    from fees
    group by chain_id, vault_address
),

versions as (
    select chain_id, vault_address, valid_from, valid_to from fees
    union all
    select chain_id, vault_address, valid_from, valid_to from listed_fees
    union all
    select chain_id, vault_address, valid_from, valid_to from detailed_fees
),

-- The three are read one after the other: what changed within ten minutes is taken to have changed at once.
instants as (
    select
        chain_id,
        vault_address,
        unnest([valid_from, valid_to]) as instant_at
    from versions
),

distinct_instants as (
    select distinct
        chain_id,
        vault_address,
        instant_at
    from instants
    where instant_at is not null
),

settled as (
    select
        chain_id,
        vault_address,
        instant_at,
        lead(instant_at) over (partition by chain_id, vault_address order by instant_at)
            as next_at
    from distinct_instants
    qualify next_at is null or next_at - instant_at > interval 10 minute
),

in_force as (
    select
        settled.chain_id,
        settled.vault_address,
        settled.instant_at,
        case
            when settled.instant_at >= first_served.first_served_at then fees.management_fee_pct
            else detailed_fees.management_fee_pct
        end as management_fee_pct,
        case
            when settled.instant_at >= first_served.first_served_at then fees.performance_fee_pct
            else detailed_fees.performance_fee_pct
        end as performance_fee_pct,
        coalesce(
            listed_fees.weekly_performance_fee_bps,
            detailed_fees.weekly_performance_fee_bps
        ) as weekly_performance_fee_bps
    from settled
    left join first_served
        on
            settled.chain_id = first_served.chain_id
            and settled.vault_address = first_served.vault_address
    left join fees
        on
            settled.chain_id = fees.chain_id
            and settled.vault_address = fees.vault_address
            and settled.instant_at >= fees.valid_from
            and (fees.valid_to is null or settled.instant_at < fees.valid_to)
    left join listed_fees
        on
            settled.chain_id = listed_fees.chain_id
            and settled.vault_address = listed_fees.vault_address
            and settled.instant_at >= listed_fees.valid_from
            and (listed_fees.valid_to is null or settled.instant_at < listed_fees.valid_to)
    left join detailed_fees
        on
            settled.chain_id = detailed_fees.chain_id
            and settled.vault_address = detailed_fees.vault_address
            and settled.instant_at >= detailed_fees.valid_from
            and (detailed_fees.valid_to is null or settled.instant_at < detailed_fees.valid_to)
),

before as (
    select
        *,
        lag(management_fee_pct) over history as management_fee_pct_before,
        lag(performance_fee_pct) over history as performance_fee_pct_before,
        lag(weekly_performance_fee_bps) over history as weekly_performance_fee_bps_before,
        row_number() over history as nth
    from in_force
    window history as (partition by chain_id, vault_address order by instant_at)
),

-- A version that differs in something else than its fees is no change of them.
changes as (
    select
        *,
        lead(instant_at) over (partition by chain_id, vault_address order by instant_at)
            as valid_to
    from before
    where
        nth = 1
        or management_fee_pct is distinct from management_fee_pct_before
        or performance_fee_pct is distinct from performance_fee_pct_before
        or weekly_performance_fee_bps is distinct from weekly_performance_fee_bps_before
),

joined as (
    select
        changes.*,
        vaults.vault_name
    from changes
    left join vaults
        on changes.chain_id = vaults.chain_id and changes.vault_address = vaults.vault_address
    where
        changes.management_fee_pct is not null
        or changes.performance_fee_pct is not null
        or changes.weekly_performance_fee_bps is not null
)

select
    chain_id::bigint as chain_id,
    vault_address::varchar as vault_address,
    instant_at::timestamp as valid_from,
    valid_to::timestamp as valid_to,
    (valid_to is null)::boolean as is_current,
    vault_name::varchar as vault_name,
    management_fee_pct::double as management_fee_pct,
    performance_fee_pct::double as performance_fee_pct,
    weekly_performance_fee_bps::double as weekly_performance_fee_bps,
    (management_fee_pct - management_fee_pct_before)::double as management_fee_change,
    (performance_fee_pct - performance_fee_pct_before)::double as performance_fee_change
from joined
