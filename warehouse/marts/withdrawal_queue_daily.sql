with

requests as (
    select
        chain_id,
        vault_address,
        request_id,
        min(coalesce(requested_at, valid_from))::date as made_on,
        case when not bool_or(is_current) then max(valid_to)::date end as gone_on,
        -- As it was last read.
        arg_max_null(amount, valid_from) as amount
    from core.withdrawal_requests
    group by chain_id, vault_address, request_id
),

-- Each request on the day it was made, and on the day it was gone.
moves as (
    select
        chain_id,
        vault_address,
        unnest([made_on, gone_on]) as day,
        unnest([true, false]) as is_made,
        amount
    from requests
),

-- In the order of the amounts, because sums of doubles depend on it.
move_days as (
    select
        chain_id,
        vault_address,
        day,
        count(*) filter (is_made) as requests_made,
        count(amount) filter (is_made) as amounts_made,
        sum(amount order by amount) filter (is_made) as amount_made,
        count(*) filter (not is_made) as requests_gone,
        count(amount) filter (not is_made) as amounts_gone,
        sum(amount order by amount) filter (not is_made) as amount_gone
    from moves
    where day is not null
    group by chain_id, vault_address, day
),

readings as (
    select chain_id, vault_address, finished_at as read_at
    from ops.tasks
    where pipeline = 'withdrawals' and outcome in ('loaded', 'unchanged', 'empty')
    union all
    select chain_id, vault_address, valid_from as read_at
    from core.withdrawal_summaries
),

read_days as (
    select chain_id, vault_address, read_at::date as day, max(read_at) as read_at
    from readings
    where chain_id is not null and vault_address is not null
    group by chain_id, vault_address, read_at::date
),

spans as (
    select chain_id, vault_address, min(day) as first_day, max(day) as last_day
    from read_days
    group by chain_id, vault_address
),

-- Every day between the first reading and the newest: a day without a reading is a row of nulls.
days as (
    select
        chain_id,
        vault_address,
        unnest(generate_series(first_day::timestamp, last_day::timestamp, interval 1 day))::date as day
    from spans
),

summaries as (
    select
        *,
        lead(valid_from) over (partition by chain_id, vault_address order by valid_from) as next_from
    from core.withdrawal_summaries
),

-- The queue at the last reading of the day. Not by an ASOF join, which loses a row in DuckDB 1.3.
queues as (
    select
        read_days.chain_id,
        read_days.vault_address,
        read_days.day,
        read_days.read_at,
        summaries.total_withdrawals,
        summaries.total_assets,
        summaries.pending_requests,
        coalesce(summaries.valid_to > read_days.read_at, true) as is_in_force
    from read_days
    left join summaries
        on
            read_days.chain_id = summaries.chain_id
            and read_days.vault_address = summaries.vault_address
            and read_days.read_at >= summaries.valid_from
            and (summaries.next_from is null or read_days.read_at < summaries.next_from)
),

joined as (
    select
        days.chain_id,
        days.vault_address,
        days.day,
        vaults.vault_name,
        queues.read_at,
        case when queues.is_in_force then queues.pending_requests end as pending_requests,
        case when queues.is_in_force then queues.total_withdrawals end as queue_amount,
        case when queues.is_in_force then queues.total_assets end as total_assets,
        -- Nothing is nothing of an unknown total too.
        case when queue_amount = 0 then 0 else queue_amount / nullif(queues.total_assets, 0) end as queue_share,
        coalesce(moves.requests_made, 0) as requests_made,
        case
            when coalesce(moves.requests_made, 0) = 0 then 0
            when moves.amounts_made = moves.requests_made then moves.amount_made
        end as amount_made,
        coalesce(moves.requests_gone, 0) as requests_gone,
        case
            when coalesce(moves.requests_gone, 0) = 0 then 0
            when moves.amounts_gone = moves.requests_gone then moves.amount_gone
        end as amount_gone,
        snapshots.nav_usd,
        snapshots.buffer_usd
    from days
    left join queues using (chain_id, vault_address, day)
    left join move_days as moves using (chain_id, vault_address, day)
    left join mart.position_days as snapshots using (chain_id, vault_address, day)
    left join mart.vault_names as vaults using (chain_id, vault_address)
)

-- Amounts are in the vault's asset, the buffer is in USD: a share of the assets is the same share of the net value.
select
    chain_id,
    vault_address,
    day,
    vault_name,
    read_at,
    pending_requests,
    queue_amount,
    total_assets,
    queue_share,
    requests_made,
    amount_made,
    requests_gone,
    amount_gone,
    queue_share * nav_usd as queue_usd,
    buffer_usd,
    buffer_usd / nullif(queue_share * nav_usd, 0) as buffer_adequacy
from joined
