-- The newest fact of each series by its time, over the active vaults; and of each other pipeline, or its newest answered
-- task. What no task of the last two days before the newest asked for is no longer read (another selection, a vault
-- that is excluded, no key), and what the service does not offer for a vault is not late: neither is here.
with

attempts as (
    select pipeline, max(finished_at) as attempted_at
    from ops.tasks
    where outcome <> 'skipped'
    group by pipeline
),

still_read as (
    select
        pipeline,
        attempted_at - interval 2 days as since
    from attempts
    where attempted_at > (select max(attempted_at) from attempts) - interval 2 days
),

series as (
    select
        freshness.series as subject,
        series.pipeline,
        freshness.newest_at,
        freshness.target_hours,
        count(*) as entities,
        min(coalesce(freshness.vault_name, freshness.vault_address)) as example
    from mart.freshness
    inner join mart.series using (series)
    inner join still_read using (pipeline)
    where
        freshness.status = 'active'
        and freshness.last_attempted_at > still_read.since
        and freshness.last_outcome <> 'unsupported'
    group by all
),

others as (
    select
        pipeline as subject,
        pipeline,
        newest_at,
        target_hours,
        entities,
        null as example
    from mart.pipeline_freshness
    semi join still_read using (pipeline)
    where pipeline not in (select pipeline from mart.series)
)

select * from series
union all by name
select * from others
order by subject, newest_at
