-- A few weeks of three vaults with everything that could break a mart: holes, several points in an hour,
-- several averaging periods, one address on two chains, vaults without facts, overlapping gaps and windows.
insert into core.vaults by name
select
    chain_id,
    vault_address,
    vault_address as vault_address_wire,
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

-- Some snapshots a day, and days without; the last subaccount has no address.
insert into core.position_snapshots by name
select
    chain_id,
    vault_address,
    timestamp '2026-03-05' + to_hours(7 * nth) as snapshot_at,
    1000 + nth as total_nav,
    if(nth % 4 = 0, null, 990) as reported_tvl,
    900 as subaccounts_total_usd,
    100 + nth as buffer_usd,
    3 as subaccount_count,
    'r' as _run_id,
    snapshot_at as _first_seen_at,
    snapshot_at as _updated_at
from (values (1, 'a'), (1, 'b'), (10, 'b')) as t (chain_id, vault_address)
cross join range(60) as snapshots (nth)
where nth % 11 not in (3, 4, 5, 6);

insert into core.position_subaccounts by name
select
    chain_id,
    vault_address,
    snapshot_at,
    subaccount_address,
    300 as total_usd,
    _run_id,
    _first_seen_at,
    _updated_at
from core.position_snapshots
cross join (values ('s1'), ('s2'), ('#3')) as s (subaccount_address);

insert into core.vault_subaccounts by name
select
    vault_address,
    chain_id,
    subaccount_address,
    subaccount_address as subaccount_address_wire,
    timestamp '2026-03-01' + to_days(version) as valid_from,
    version = 1 as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (
    values (1, 'a', 's1'), (null, 'b', 's1'), (null, 'b', 's3')
) as t (chain_id, vault_address, subaccount_address)
cross join range(2) as versions (version);

-- Two calculations at one instant, subaccounts with a summary alone, and one without debt.
insert into core.health_factors by name
select
    's' || nth as subaccount_address,
    'h' || calculation as health_factor_id,
    timestamp '2026-03-20' + to_hours((calculation // 2)::integer) as calculated_at,
    if(nth = 4, 999, nth * 0.5 + calculation / 100) as health_factor,
    100 * nth as total_collateral,
    if(nth = 4, 0, 100) as total_loan,
    'r' as _run_id,
    calculated_at as _first_seen_at,
    calculated_at as _updated_at
from range(1, 5) as subaccounts (nth)
cross join range(6) as calculations (calculation);

insert into core.subaccount_summaries by name
select
    's' || nth as subaccount_address,
    'sub ' || nth as name,
    'subaccount' as type,
    1.1 as health_factor,
    1 as net_account_value,
    1 as total_account_value,
    1.1 as total_collateral_value,
    1 as total_equity_value,
    1 as total_loan_value,
    1 as total_credit,
    1 as total_debt,
    1 as portfolio_discounted_value,
    1 as portfolio_total_value,
    timestamp '2026-03-01' + to_days(version) as valid_from,
    version = 1 as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from range(3, 8) as subaccounts (nth)
cross join range(2) as versions (version);

insert into core.loans by name
select
    '1:l' || nth as loan_id,
    1 as chain_id,
    'l' || nth as loan_address,
    ['ACTIVE', 'REPAID', null][1 + nth % 3] as state,
    's' || (1 + nth % 4) as borrower_address,
    's' || (1 + nth % 3) as lender_address,
    10 * nth as principal_amount,
    't' || nth % 2 as principal_token_address,
    if(nth % 5 = 0, null, nth) as upcoming_payment_amount,
    if(nth % 4 = 0, null, timestamp '2026-03-25' + to_days((nth % 7)::integer))
        as upcoming_payment_due_at,
    timestamp '2026-03-01' + to_days(version) as valid_from,
    version = 1 as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from range(21) as loans (nth)
cross join range(2) as versions (version);

insert into core.subaccount_portfolio_positions by name
select
    's' || nth as subaccount_address,
    ['defi', 'cefi', 'otc'][1 + nth % 3] as kind,
    place as ordinal,
    ['Aave', 'aave-v3', null][1 + place] as protocol,
    10 * place as value,
    timestamp '2026-03-01' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from range(1, 5) as subaccounts (nth)
cross join range(3) as places (place);

insert into core.subaccount_tokens by name
select
    's' || nth as subaccount_address,
    'summary' as list,
    token as ordinal,
    't' || token as token_address,
    1 as chain_id,
    100 * nth as balance,
    timestamp '2026-03-01' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from range(1, 5) as subaccounts (nth)
cross join range(2) as tokens (token);

-- The loan book knows some of them, and both parties tell of each.
insert into core.subaccount_loans by name
select
    subaccount_address,
    '1:l' || nth as loan_id,
    'ACTIVE' as state,
    timestamp '2026-03-01' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from range(18, 24) as loans (nth)
cross join (values ('s1'), ('s2')) as s (subaccount_address);

insert into core.withdrawal_summaries by name
select
    chain_id,
    vault_address,
    30 as total_withdrawals,
    if(vault_address = 's', null, 1000) as total_assets,
    3 as pending_requests,
    timestamp '2026-03-20' + to_days(version) as valid_from,
    version = 1 as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values (1, 'a'), (1, 'b'), (10, 'b'), (900, 's')) as t (chain_id, vault_address)
cross join range(2) as versions (version);

insert into core.withdrawal_requests by name
select
    chain_id,
    vault_address,
    'w' || nth as request_id,
    if(nth = 4, null, timestamp '2026-03-19' + to_hours((nth // 2)::integer)) as requested_at,
    if(nth = 3, null, 10) as amount,
    valid_from,
    is_current,
    _run_id,
    _first_seen_at,
    _updated_at
from core.withdrawal_summaries
cross join range(5) as requests (nth);

-- Requests that are gone.
insert into core.withdrawal_requests by name
select
    chain_id,
    vault_address,
    'gone' as request_id,
    timestamp '2026-03-20' as requested_at,
    10 as amount,
    timestamp '2026-03-20' as valid_from,
    timestamp '2026-03-21' as valid_to,
    false as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values (1, 'a'), (10, 'b')) as t (chain_id, vault_address);

insert into core.performance_fees by name
select
    vault_address,
    'MonthToDate' as calculation_period,
    '-' as range,
    is_native_denominated,
    20 as annualized_fees_pct,
    10 * (1 + version) as total_perf_fees_asset,
    timestamp '2026-02-10' + to_days(30 * version::integer) as valid_from,
    if(version = 1, null, valid_from + to_days(30)) as valid_to,
    version = 1 as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values ('a'), ('b'), ('s')) as t (vault_address)
cross join (values (true), (false)) as d (is_native_denominated)
cross join range(2) as versions (version);

-- A change, a version that changes nothing, and a time without fees.
insert into core.fees by name
select
    chain_id,
    vault_address,
    if(nth < 3, 1, 2) as management_fee_pct,
    10 as performance_fee_pct,
    timestamp '2026-03-01' + to_days((2 * nth)::integer) as valid_from,
    if(nth = 5, null, valid_from + to_days(if(nth = 1, 1, 2))) as valid_to,
    nth = 5 as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values (1, 'a'), (1, 'b'), (10, 'b')) as t (chain_id, vault_address)
cross join range(6) as versions (nth);

insert into core.audit_log by name
select
    chain_id,
    vault_address,
    timestamp '2026-03-01' + to_hours(nth // 3) as occurred_at,
    'attestation' as type,
    'all well' as summary,
    1 + nth % 3 as occurrence,
    'r' as _run_id,
    occurred_at as _first_seen_at,
    occurred_at as _updated_at
from (values (1, 'a'), (1, 'b'), (10, 'b')) as t (chain_id, vault_address)
cross join range(30) as entries (nth);

insert into core.timelocks by name
select
    chain_id,
    vault_address,
    't' || nth as timelock_id,
    if(version = 1 and nth < 3, 'executed', 'scheduled') as status,
    timestamp '2026-03-10' as scheduled_at,
    if(nth = 5, null, timestamp '2026-03-29' + to_days(nth::integer)) as executable_at,
    timestamp '2026-03-10' + to_days(version) as valid_from,
    version = 1 as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values (1, 'a'), (1, 'b'), (10, 'b')) as t (chain_id, vault_address)
cross join range(6) as timelocks (nth)
cross join range(2) as versions (version);

-- Held, handed on, lost and got again.
insert into core.roles by name
select
    chain_id,
    vault_address,
    'owner' as role,
    'h' || holder as holder_address,
    1 as occurrence,
    true as is_safe,
    2 + nth as safe_threshold,
    timestamp '2026-03-01' + to_days((3 * nth + holder)::integer) as valid_from,
    if(nth = 2, null, valid_from + to_days((2 + holder)::integer)) as valid_to,
    nth = 2 as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values (1, 'a'), (1, 'b'), (10, 'b')) as t (chain_id, vault_address)
cross join range(2) as holders (holder)
cross join range(3) as versions (nth);

insert into core.permissions by name
select
    chain_id,
    vault_address,
    'Aave' as integration,
    'f' || function as function_name,
    1 as occurrence,
    timestamp '2026-03-01' + to_days((3 * nth + function)::integer) as valid_from,
    if(nth = 2, null, valid_from + to_days((2 + function)::integer)) as valid_to,
    nth = 2 as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values (1, 'a'), (1, 'b'), (10, 'b')) as t (chain_id, vault_address)
cross join range(2) as functions (function)
cross join range(3) as versions (nth);

insert into core.oracle_classification by name
select
    chain_id,
    vault_address,
    date '2026-03-05' + day::integer as date,
    'p' || nth as position_id,
    ['Primary', 'Secondary Market', 'CeFi', null][1 + nth % 4] as pricing_class,
    10 * nth as usd_value,
    'r' as _run_id,
    timestamp '2026-03-30' as _first_seen_at,
    timestamp '2026-03-30' as _updated_at
from (values (1, 'a'), (1, 'b'), (10, 'b')) as t (chain_id, vault_address)
cross join range(5) as days (day)
cross join range(6) as positions (nth);

insert into core.annualized_apy by name
select
    vault_address,
    0.05 as liquid_apy_7_day,
    0.04 as liquid_apy_30_day,
    timestamp '2026-03-20' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values ('a'), ('b')) as t (vault_address);

insert into core.vault_summaries by name
select
    vault_address,
    1 as return_1_day,
    timestamp '2026-03-20' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values ('a'), ('b')) as t (vault_address);

insert into core.vault_details by name
select
    chain_id,
    vault_address,
    5 as weekly_performance_fee_bps,
    timestamp '2026-03-20' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values (1, 'a'), (1, 'empty')) as t (chain_id, vault_address);

insert into core.vault_strategies by name
select
    chain_id,
    vault_address,
    'e' || nth as entry_id,
    'subaccounts' as listed_as,
    if(nth = 0, null, 's' || (2 * nth)) as subaccount_address,
    timestamp '2026-03-20' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (values (1, 'a'), (10, 'b')) as t (chain_id, vault_address)
cross join range(3) as strategies (nth);

insert into core.subaccounts by name
select
    's' || nth as subaccount_address,
    subaccount_address as subaccount_address_wire,
    'Subaccount ' || nth as friendly_name,
    'active' as status,
    1.3 as min_health_factor,
    timestamp '2026-03-20' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from range(1, 6) as subaccounts (nth);

insert into core.loan_details by name
select
    '1:l' || nth as loan_id,
    nth as upcoming_payment_amount,
    timestamp '2026-03-01' as deployed_at,
    timestamp '2026-03-20' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from range(0, 21, 5) as loans (nth);

insert into ops.tasks by name
select
    'r' || nth as run_id,
    pipeline,
    vault_address || if(vault_address = 'b' and pipeline = 'allocation_history', '@' || chain_id, '') as entity,
    vault_address,
    if(pipeline = 'allocation_history', chain_id, null) as chain_id,
    if(pipeline = 'apy_history', 'apy_smoothed_7d', replace(pipeline, '_history', '')) as series,
    case pipeline
        when 'pnl_history' then null
        when 'apy_history' then finished_at::date - 14 - (nth % 2)::integer
        else finished_at::date - 2
    end::date as covers_from,
    finished_at::date as covers_to,
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
from (values (1, 'a'), (1, 'b'), (10, 'b'), (900, 's'), (1, 'empty')) as t (chain_id, vault_address)
cross join (
    values ('ratio_history'), ('pnl_history'), ('apy_history'), ('allocation_history')
) as p (pipeline)
cross join (
    select
        nth,
        timestamp '2026-03-01 23:50:00' + to_hours(8 * nth) as finished_at
    from range(70) as tasks (nth)
) as runs
where pipeline = 'allocation_history' or chain_id <> 10;

insert into ops.gaps by name
select
    pipeline,
    vault_address as entity,
    vault_address,
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

-- A vault whose figures can be set side by side, and whose governance could be read in part.
insert into core.vaults by name
select
    1 as chain_id,
    'y' as vault_address,
    'y' as vault_address_wire,
    'evm' as chain_type,
    'y' as vault_name,
    timestamp '2026-03-01' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at;

insert into core.annualized_apy by name
select
    'y' as vault_address,
    0.05 as liquid_apy_7_day,
    0.04 as liquid_apy_30_day,
    timestamp '2026-03-20' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at;

insert into core.apy_history by name
select
    'y' as vault_address,
    date '2026-02-25' + nth::integer as date,
    false as is_smoothed,
    7 as averaging_period_days,
    0.05 as apy,
    'r' as _run_id,
    timestamp '2026-03-30' as _first_seen_at,
    timestamp '2026-03-30' as _updated_at
from range(31) as days (nth);

insert into core.withdrawal_summaries by name
select
    1 as chain_id,
    'y' as vault_address,
    20 as total_withdrawals,
    1000 as total_assets,
    1 as pending_requests,
    timestamp '2026-03-20' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at;

insert into core.withdrawal_requests by name
select
    1 as chain_id,
    'y' as vault_address,
    'w' as request_id,
    20 as amount,
    timestamp '2026-03-20' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at;

insert into core.position_snapshots by name
select
    1 as chain_id,
    'y' as vault_address,
    timestamp '2026-03-20' as snapshot_at,
    1000 as total_nav,
    'r' as _run_id,
    snapshot_at as _first_seen_at,
    snapshot_at as _updated_at;

insert into core.vault_summary_allocations by name
select
    'y' as vault_address,
    'p' as position,
    1000 as value,
    timestamp '2026-03-20' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at;

insert into core.timelocks by name
select
    1 as chain_id,
    'y' as vault_address,
    't' as timelock_id,
    'scheduled' as status,
    timestamp '2026-03-10' as scheduled_at,
    timestamp '2026-03-10' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at;

insert into core.timelock_requests by name
select
    1 as chain_id,
    'y' as vault_address,
    't' as timelock_id,
    'scheduled' as status,
    86400 as delay_seconds,
    timestamp '2026-03-10' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at;

insert into core.observation_warnings by name
select
    'roles' as endpoint,
    1 as chain_id,
    'y' as vault_address,
    'custody data unavailable' as warning,
    timestamp '2026-03-10' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at;

insert into core.ratio_history by name
select
    'y' as vault_address,
    timestamp '2026-03-20' as observed_at,
    1000 as actual_tvl,
    1000 as tvl_on_vault,
    1 as adjusted_redeem_ratio,
    'r' as _run_id,
    observed_at as _first_seen_at,
    observed_at as _updated_at;

-- What two of the subaccounts lack, in two tokens.
insert into core.collateral_excess by name
select
    subaccount_address,
    1 as chain_id,
    't' || token as token_address,
    1.2 as target_health_factor,
    -1000 * token as amount_usd,
    timestamp '2026-03-29 12:00:00' as valid_from,
    true as is_current,
    'r' as _run_id,
    valid_from as _first_seen_at,
    valid_from as _updated_at
from (select distinct subaccount_address from core.health_factors order by all limit 2)
cross join range(1, 3) as tokens (token);

-- When the vault list and a yield were found to stand as they were read.
insert into ops.tasks by name
select
    'r' as run_id,
    pipeline,
    entity,
    nullif(entity, '-') as vault_address,
    'snapshot' as "window",
    'unchanged' as outcome,
    1 as requests,
    0 as rows_inserted,
    0 as rows_revised,
    1 as rows_unchanged,
    0.1 as seconds,
    finished_at
from (
    values
        ('vaults', '-', timestamp '2026-03-23 00:05:00'),
        ('annualized_apy', 'y', timestamp '2026-03-28 00:05:00')
) as t (pipeline, entity, finished_at);
