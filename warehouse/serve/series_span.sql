-- The first and last instant of a vault's points, up to today.
select
    min(observed_at) as from_at,
    max(observed_at) as to_at
from (
    select observed_at from core.ratio_history where vault_address = $vault_address
    union all
    select snapshot_at as observed_at from core.pnl_history where vault_address = $vault_address
    union all
    select date::timestamp as observed_at from core.apy_history where vault_address = $vault_address
    union all
    select date::timestamp as observed_at from core.allocation_history where vault_address = $vault_address
    union all
    select snapshot_at as observed_at from core.position_snapshots where vault_address = $vault_address
) as points
inner join mart.clock on points.observed_at::date <= clock.now_at::date
