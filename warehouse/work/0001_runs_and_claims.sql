-- Runs whose tasks workers read. `settings` is what the planner and all workers must agree on, `request` what the run
-- reads. A run is read once its last task is done; workers then leave it.
create table runs (
    run_id text primary key,
    command text not null,
    settings jsonb not null,
    request jsonb not null,
    planner text not null,
    opened_at timestamptz not null default now(),
    is_read boolean not null default false
);

-- The tasks (pipeline × entity) of these runs and who may commit them: only who claimed one last, known by its epoch.
create table claims (
    run_id text not null references runs on delete cascade,
    pipeline text not null,
    entity text not null,
    task jsonb not null,
    epoch integer not null default 0,
    worker text,
    is_done boolean not null default false,
    primary key (run_id, pipeline, entity)
);
