-- Changes every figure of May 2026: 300,000 rows of 20 million.
create temp table revised as
select * replace (actual_tvl + 1 as actual_tvl, now()::timestamp as _updated_at)
from core.ratio_history
where observed_at >= timestamp '2026-05-01' and observed_at < timestamp '2026-06-01';

create temp table revised_pnl as
select * replace (unrealized_pnl + 1 as unrealized_pnl, now()::timestamp as _updated_at)
from core.pnl_history
where snapshot_at >= timestamp '2026-05-01' and snapshot_at < timestamp '2026-06-01';

begin;

delete from core.ratio_history
where observed_at >= timestamp '2026-05-01' and observed_at < timestamp '2026-06-01';

insert into core.ratio_history from revised;

delete from core.pnl_history
where snapshot_at >= timestamp '2026-05-01' and snapshot_at < timestamp '2026-06-01';

insert into core.pnl_history from revised_pnl;

update ops.partition_changes
set changed_at = now()::timestamp
where table_schema = 'core' and table_name in ('ratio_history', 'pnl_history') and month = '2026-05';

commit;
