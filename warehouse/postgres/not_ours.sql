-- A relation in the schemas $1: before the first publication none of them is vaulthouse's.
select format('%s.%s', n.nspname, c.relname) as name
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any ($1) and c.relkind in ('r', 'v', 'm', 'p', 'f')
order by 1
limit 1
