-- Schemas of runs ($1 is the beginning of their names) that no publication uses: one that was killed left them.
select n.nspname as name
from pg_namespace n
where
    n.nspname ~ ('^' || $1 || '\d+$')
    and obj_description(n.oid, 'pg_namespace') like 'vaulthouse: %'
    and substring(n.nspname from '\d+$')::bigint not in (select number from publications)
