-- Schemas of runs ($1 is the prefix of their names) that no publication uses, left by a killed publication.
select n.nspname as name
from pg_namespace n
where
    n.nspname ~ ('^' || $1 || '\d+$')
    and obj_description(n.oid, 'pg_namespace') like 'vaulthouse: %'
    and substring(n.nspname from '\d+$')::bigint not in (select number from publications)
