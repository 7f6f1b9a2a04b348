-- The views in the schemas $1: their owners, their columns in order, and the privileges of users other than the owner, on
-- the view and on single columns.
select
    n.nspname as schema,
    c.relname as name,
    pg_get_userbyid(c.relowner) as owner,
    (
        select json_agg(
            json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
            order by a.attnum
        )
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ) as columns,
    (
        select coalesce(
            json_agg(
                format(
                    'GRANT %s ON %I.%I TO %s%s',
                    g.privilege_type, n.nspname, c.relname,
                    case g.grantee when 0 then 'PUBLIC' else quote_ident(pg_get_userbyid(g.grantee)) end,
                    case when g.is_grantable then ' WITH GRANT OPTION' else '' end
                )
            ),
            '[]'
        )
        from aclexplode(c.relacl) g
        where g.grantee <> c.relowner
    ) as grants,
    (
        select coalesce(
            json_agg(
                json_build_object(
                    'column', a.attname,
                    'statement', format(
                        'GRANT %s (%I) ON %I.%I TO %s%s',
                        g.privilege_type, a.attname, n.nspname, c.relname,
                        case g.grantee when 0 then 'PUBLIC' else quote_ident(pg_get_userbyid(g.grantee)) end,
                        case when g.is_grantable then ' WITH GRANT OPTION' else '' end
                    )
                )
            ),
            '[]'
        )
        from pg_attribute a
        cross join lateral aclexplode(a.attacl) g
        where
            a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            and g.grantee <> c.relowner
    ) as column_grants
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any ($1) and c.relkind = 'v'
