-- Server, database and rights of the connected user.
select
    current_setting('server_version') as version,
    current_user as "user",
    (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as is_encrypted,
    has_database_privilege(current_database(), 'CREATE') as may_create,
    pg_encoding_to_char(encoding) as encoding,
    current_setting('transaction_read_only')::boolean as is_read_only
from pg_database
where datname = current_database()
