-- Runs whose tasks workers read, until they end. `settings` is what planner and workers must agree on, `request` what the
-- run reads. Once it is read, workers leave it.
create table runs (
    run_id text primary key,
    command text not null,
    settings jsonb not null,
    request json not null,
    planner text not null,
    opened_at timestamptz not null default now(),
    is_read boolean not null default false
);

-- The tasks of these runs, in the order in which they are offered, and who may commit them: the worker that claimed a task
-- last, which its epoch shows.
create table claims (
    run_id text not null references runs on delete cascade,
    pipeline text not null,
    entity text not null,
    place integer not null,
    task json not null,
    epoch integer not null default 0,
    worker text,
    is_done boolean not null default false,
    primary key (run_id, pipeline, entity)
);
