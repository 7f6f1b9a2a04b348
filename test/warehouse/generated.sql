-- A few weeks of three vaults with everything that could break a mart: holes, several points in an hour,
-- several averaging periods, one address on two chains, vaults without facts, overlapping gaps and windows.
insert into core.vaults by name
select
    chain_id,
    vault_address,
    vault_address as vault_address_as_served,
    if(vault_address = 's', 'solana', 'evm') as chain_type,
    'Vault ' || vault_address as vault_name,
    'active' as status,
    timestamp '2026-01-01' + to_days(version) as valid_from,
    version = 1 as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values (1, 'a'), (1, 'b'), (10, 'b'), (900, 's'), (1, 'empty')) as t (chain_id, vault_address)
cross join range(2) as versions (version);

insert into core.vault_reported_metrics by name
select
    chain_id,
    vault_address,
    1000 as latest_reported_tvl,
    valid_from,
    is_current,
    _run_id,
    _first_seen_at,
    _updated_at
from core.vaults;

-- 1,009 points 31 minutes apart: up to two an hour. Every 7th is missing.
insert into core.ratio_history by name
select
    vault_address,
    timestamp '2026-03-01 05:00:00' + to_minutes(31 * point) as observed_at,
    1000 + point as actual_tvl,
    1000 as tvl_on_vault,
    1 + sin(point) / 100 as adjusted_redeem_ratio,
    'r' as _run_id,
    observed_at as _first_seen_at,
    observed_at as _updated_at
from (values ('a'), ('b'), ('s')) as t (vault_address)
cross join range(1009) as points (point)
where point % 7 <> 3;

insert into core.pnl_history by name
select
    vault_address,
    timestamp '2026-03-03 02:15:00' + to_hours(2 * snapshot) as snapshot_at,
    snapshot - 100 as unrealized_pnl,
    if(snapshot % 5 = 0, null, snapshot / 10) as unrealized_pnl_in_asset,
    'r' as _run_id,
    snapshot_at as _first_seen_at,
    snapshot_at as _updated_at
from (values ('a'), ('b')) as t (vault_address)
cross join range(250) as snapshots (snapshot);

insert into core.apy_history by name
select
    vault_address,
    date '2026-02-25' + nth::integer as date,
    is_smoothed,
    averaging_period_days,
    nth / 1000 + averaging_period_days as apy,
    'r' as _run_id,
    timestamp '2026-03-30' as _first_seen_at,
    timestamp '2026-03-30' as _updated_at
from (values ('a'), ('b'), ('s')) as t (vault_address)
cross join (values (true, 3), (true, 7), (false, 7), (false, 30)) as s (is_smoothed, averaging_period_days)
cross join range(28) as days (nth)
where nth % 6 <> 1 and not (vault_address = 's' and averaging_period_days = 7);

insert into core.allocation_history by name
select
    chain_id,
    vault_address,
    date '2026-03-02' + nth::integer as date,
    protocol,
    if(vault_address = 'a', 100 + nth, null) as value,
    25 as share,
    'r' as _run_id,
    timestamp '2026-03-30' as _first_seen_at,
    timestamp '2026-03-30' as _updated_at
from (values (1, 'a'), (1, 'b'), (10, 'b')) as t (chain_id, vault_address)
cross join (values ('Aave'), ('Morpho'), ('Pendle')) as p (protocol)
cross join range(20) as days (nth)
where nth % 5 <> 2;

insert into ops.tasks by name
select
    'r' || nth as run_id,
    pipeline,
    vault_address as entity,
    case pipeline
        when 'pnl_history' then 'newest ' || (40 + nth)
        when 'apy_history' then 'smoothed 7d, ' || (15 + nth % 2) || ' days'
        else (finished_at::date - 2)::varchar || '..' || finished_at::date::varchar
    end as "window",
    if(nth % 9 = 4, 'failed', 'unchanged') as outcome,
    1 as requests,
    0 as rows_inserted,
    0 as rows_revised,
    72 as rows_unchanged,
    0.1 as seconds,
    finished_at
from (values ('a'), ('b'), ('s'), ('empty')) as t (vault_address)
cross join (
    values ('ratio_history'), ('pnl_history'), ('apy_history'), ('allocation_history')
) as p (pipeline)
cross join (
    select
        nth,
        timestamp '2026-03-01 23:50:00' + to_hours(8 * nth) as finished_at
    from range(70) as tasks (nth)
) as runs;

insert into ops.gaps by name
select
    pipeline,
    vault_address as entity,
    timestamp '2026-03-04 22:30:00' + to_hours(20 * nth) as from_at,
    from_at + to_hours(26) as to_at,
    ['quarantined', 'failed', 'truncated', 'unreachable'][1 + nth % 4] as reason,
    ['open', 'closed', 'permanent'][1 + nth % 3] as state,
    '-' as detail,
    'r' as run_id,
    timestamp '2026-03-26 12:00:00' as updated_at
from (values ('a'), ('b')) as t (vault_address)
cross join (values ('ratio_history'), ('apy_history')) as p (pipeline)
cross join range(26) as gaps (nth);
