with

vaults as (select * from core.vaults where is_current),

listed_fees as (select * from core.vaults where weekly_performance_fee_bps is not null),

detailed_fees as (
    select *
    from core.vault_details
    where
        management_fee_pct is not null
        or performance_fee_pct is not null
        or weekly_performance_fee_bps is not null
),

-- From this instant on, the fees of a vault's own page no longer count.
first_fees as (
    select chain_id, vault_address, min(valid_from) as first_fees_at
    from core.fees
    group by chain_id, vault_address
),

versions as (
    select
        'fees' as source,
        chain_id,
        vault_address,
        valid_from,
        valid_to,
        [management_fee_pct, performance_fee_pct] as charged
    from core.fees
    union all
    select
        'list' as source,
        chain_id,
        vault_address,
        valid_from,
        valid_to,
        [weekly_performance_fee_bps] as charged
    from listed_fees
    union all
    select
        'details' as source,
        chain_id,
        vault_address,
        valid_from,
        valid_to,
        [management_fee_pct, performance_fee_pct, weekly_performance_fee_bps] as charged
    from detailed_fees
),

-- A version that differs in something other than its fees begins nothing, and ends nothing. Where such a thing moves with
-- every reading, the rule below would take all that was read for one change.
bounded as (
    select
        chain_id,
        vault_address,
        case
            when
                lag(charged) over history is distinct from charged
                or lag(valid_to) over history is distinct from valid_from
                then valid_from
        end as begins_at,
        case
            when
                lead(charged) over history is distinct from charged
                or lead(valid_from) over history is distinct from valid_to
                then valid_to
        end as ends_at
    from versions
    window history as (partition by source, chain_id, vault_address order by valid_from)
),

-- The three are read one after the other. The ten-minute rule: changes read within ten minutes of each other are one
-- change, at the time of the last.
instants as (
    select chain_id, vault_address, unnest([begins_at, ends_at]) as instant_at
    from bounded
),

distinct_instants as (
    select distinct
        chain_id,
        vault_address,
        instant_at
    from instants
    where instant_at is not null
),

moments as (
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
        moments.chain_id,
        moments.vault_address,
        moments.instant_at,
        case
            when moments.instant_at >= first_fees.first_fees_at then fees.management_fee_pct
            else detailed_fees.management_fee_pct
        end as management_fee_pct,
        case
            when moments.instant_at >= first_fees.first_fees_at then fees.performance_fee_pct
            else detailed_fees.performance_fee_pct
        end as performance_fee_pct,
        coalesce(
            listed_fees.weekly_performance_fee_bps,
            detailed_fees.weekly_performance_fee_bps
        ) as weekly_performance_fee_bps
    from moments
    left join first_fees using (chain_id, vault_address)
    left join core.fees
        on
            moments.chain_id = fees.chain_id
            and moments.vault_address = fees.vault_address
            and moments.instant_at >= fees.valid_from
            and (fees.valid_to is null or moments.instant_at < fees.valid_to)
    left join listed_fees
        on
            moments.chain_id = listed_fees.chain_id
            and moments.vault_address = listed_fees.vault_address
            and moments.instant_at >= listed_fees.valid_from
            and (listed_fees.valid_to is null or moments.instant_at < listed_fees.valid_to)
    left join detailed_fees
        on
            moments.chain_id = detailed_fees.chain_id
            and moments.vault_address = detailed_fees.vault_address
            and moments.instant_at >= detailed_fees.valid_from
            and (detailed_fees.valid_to is null or moments.instant_at < detailed_fees.valid_to)
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

-- A version that differs in something other than its fees is not a change of fees.
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
    select changes.*, vaults.vault_name
    from changes
    left join vaults using (chain_id, vault_address)
    where
        changes.management_fee_pct is not null
        or changes.performance_fee_pct is not null
        or changes.weekly_performance_fee_bps is not null
)

select
    chain_id,
    vault_address,
    instant_at as valid_from,
    valid_to,
    valid_to is null as is_current,
    vault_name,
    management_fee_pct,
    performance_fee_pct,
    weekly_performance_fee_bps,
    management_fee_pct - management_fee_pct_before as management_fee_change,
    performance_fee_pct - performance_fee_pct_before as performance_fee_change
from joined
