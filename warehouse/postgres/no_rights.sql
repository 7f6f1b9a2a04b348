-- Schemas among $1, in that order, in which the connected user may not create and read.
select
    nspname as name,
    pg_get_userbyid(nspowner) as owner,
    current_user as "user"
from pg_namespace
where
    nspname = any ($1::text[])
    and not (has_schema_privilege(oid, 'CREATE') and has_schema_privilege(oid, 'USAGE'))
order by array_position($1::text[], nspname::text)
