-- What vaulthouse keeps in PostgreSQL about its publications, in the schema that the search path names.
-- A publication is a set of parts: tables of one relation and period that never change, so that several can share them.
create table if not exists publications (
    number bigint primary key,
    run_id text not null,
    published_at timestamptz not null,
    relations text[] not null,
    -- What comments and grants of the views in use were made from; null until they are.
    described text,
    switched_at timestamptz not null default now()
);
create table if not exists parts (
    id bigint generated always as identity primary key,
    relation text not null,
    period text not null,
    fingerprint text not null,
    rows bigint not null
);
create table if not exists publication_parts (
    number bigint not null references publications on delete cascade,
    part_id bigint not null references parts,
    primary key (number, part_id)
);
