-- Makes five years of hourly history from the last 41 days, as if the service had been read every hour for as long;
-- also of figures that the simulator gives only for the last weeks or the last hour.
--
-- The 41 days are repeated, so what is older goes first: a shifted row would have the key of a row that is there.
delete from core.ratio_history
where observed_at <= (select max(observed_at) from core.ratio_history) - interval 41 day;
delete from core.pnl_history
where snapshot_at <= (select max(snapshot_at) from core.pnl_history) - interval 41 day;
delete from core.apy_history where date <= (select max(date) from core.apy_history) - 41;
delete from core.allocation_history
where date <= (select max(date) from core.allocation_history) - 41;
delete from core.audit_log
where occurred_at <= (select max(occurred_at) from core.audit_log) - interval 41 day;

create temp table shifts as select n::integer as n from range(1, 45) as shifts (n);

insert into core.ratio_history
select facts.* replace (facts.observed_at - to_days(41 * n) as observed_at)
from core.ratio_history as facts inner join shifts on true
order by n desc, facts.vault_address, facts.observed_at;

insert into core.pnl_history
select facts.* replace (facts.snapshot_at - to_days(41 * n) as snapshot_at)
from core.pnl_history as facts inner join shifts on true
order by n desc, facts.vault_address, facts.snapshot_at;

insert into core.apy_history
select facts.* replace (facts.date - 41 * n as date)
from core.apy_history as facts inner join shifts on true
order by n desc, facts.vault_address, facts.date;

insert into core.allocation_history
select facts.* replace (facts.date - 41 * n as date)
from core.allocation_history as facts inner join shifts on true
order by n desc, facts.vault_address, facts.date;

insert into core.audit_log
select facts.* replace (facts.occurred_at - to_days(41 * n) as occurred_at)
from core.audit_log as facts inner join shifts on true;

insert into core.oracle_classification
select facts.* replace (facts.date - n::integer as date)
from (
    select *
    from core.oracle_classification
    qualify date = max(date) over (partition by chain_id, vault_address)
) as facts
inner join range(1, 1825) as days (n) on true
order by n desc, facts.vault_address;

insert into core.health_factors
select facts.* replace (
    facts.calculated_at - to_days(n::integer) as calculated_at,
    facts.health_factor_id || '-' || n as health_factor_id
)
from (
    select *
    from core.health_factors
    qualify row_number() over (partition by subaccount_address order by calculated_at desc) = 1
) as facts
inner join range(1, 1825) as days (n) on true
order by n desc, facts.subaccount_address;

insert into core.position_snapshots
select facts.* replace (facts.snapshot_at - to_hours(n) as snapshot_at)
from (
    select *
    from core.position_snapshots
    qualify snapshot_at = max(snapshot_at) over (partition by chain_id, vault_address)
) as facts
inner join range(1, 43800) as hours (n) on true
order by n desc, facts.vault_address;

insert into core.position_subaccounts
select facts.* replace (facts.snapshot_at - to_hours(n) as snapshot_at)
from (
    select *
    from core.position_subaccounts
    qualify snapshot_at = max(snapshot_at) over (partition by chain_id, vault_address)
) as facts
inner join range(1, 43800) as hours (n) on true
order by n desc, facts.vault_address;

-- A queue that changed every day, each request pending for three days; performance fees that grew every day.
insert into core.withdrawal_summaries
select facts.* replace (
    facts.total_withdrawals * (1 + sin(n)) as total_withdrawals,
    facts.valid_from - to_days(n::integer) as valid_from,
    facts.valid_from - to_days(n::integer - 1) as valid_to,
    false as is_current
)
from (select * from core.withdrawal_summaries where is_current) as facts
inner join range(1, 1825) as days (n) on true
order by n desc, facts.vault_address;

insert into core.withdrawal_requests
select facts.* replace (
    facts.request_id || '-' || n as request_id,
    facts.requested_at - to_days(n::integer) as requested_at,
    facts.valid_from - to_days(n::integer) as valid_from,
    facts.valid_from - to_days(n::integer - 3) as valid_to,
    false as is_current
)
from (select * from core.withdrawal_requests where is_current) as facts
inner join range(4, 1825) as days (n) on true
order by n desc, facts.vault_address;

insert into core.performance_fees
select facts.* replace (
    facts.valid_from - to_days(n::integer) as valid_from,
    facts.valid_from - to_days(n::integer - 1) as valid_to,
    false as is_current
)
from (select * from core.performance_fees where is_current) as facts
inner join range(1, 1825) as days (n) on true
order by n desc, facts.vault_address;

delete from ops.partition_changes
where table_schema = 'core' and table_name in ('ratio_history', 'pnl_history', 'position_snapshots');

insert into ops.partition_changes
select distinct 'core', table_name, strftime(point_at, '%Y-%m'), 'bench', now()::timestamp
from (
    select 'ratio_history' as table_name, observed_at as point_at from core.ratio_history
    union all
    select 'pnl_history' as table_name, snapshot_at as point_at from core.pnl_history
    union all
    select 'position_snapshots' as table_name, snapshot_at as point_at from core.position_snapshots
);

-- The tasks of a year of hourly runs.
insert into ops.tasks
select tasks.* replace (
    tasks.run_id || '-' || n as run_id,
    tasks.finished_at - to_hours(n) as finished_at,
    'unchanged' as outcome,
    tasks.covers_to - (n // 24)::integer - 2 as covers_from,
    tasks.covers_to - (n // 24)::integer as covers_to
)
from (
    select *
    from ops.tasks
    where pipeline in ('ratio_history', 'pnl_history', 'positions', 'withdrawals')
    qualify row_number() over (partition by pipeline, entity order by finished_at desc) = 1
) as tasks
inner join range(1, 8760) as hours (n) on true
order by n desc;
