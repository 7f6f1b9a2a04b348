-- 20 million rows: 200 vaults × 50,000 hours of two histories, in windows of 41 days as a first sync commits them.
delete from core.ratio_history;
delete from core.pnl_history;
delete from ops.partition_changes
where table_schema = 'core' and table_name in ('ratio_history', 'pnl_history');

create temp table points as
select
    '0x' || lpad(vault::varchar, 40, '0') as vault_address,
    1 as chain_id,
    timestamp '2021-01-01' + to_hours(hour) as point_at,
    (hash(vault, hour) % 1000000) / 7 as figure,
    (hash(hour, vault) % 1000000) / 7 as other,
    'run-0' as run_id,
    'run-0-' || (vault * 100 + hour // 984) as response_id,
    timestamp '2026-11-01' as read_at
from range(200) as vaults (vault) inner join range(50000) as hours (hour) on true
order by hour // 984, vault, hour;

insert into core.ratio_history
select
    vault_address, chain_id, point_at, 1e6 + figure, 1e6 + other, (1e6 + figure) / (1e6 + other), null,
    run_id, response_id, read_at, read_at
from points;

insert into core.pnl_history
select
    vault_address, chain_id, point_at, figure, other, null,
    run_id, response_id, read_at, read_at
from points;

insert into ops.partition_changes
select 'core', tables.name, strftime(months.first_at, '%Y-%m'), 'run-0', timestamp '2026-11-01'
from (values ('ratio_history'), ('pnl_history')) as tables (name)
inner join (
    select distinct date_trunc('month', point_at) as first_at from points
) as months on true;
