-- For the rest of the session: what waits, or holds a lock, is ended by no timeout of the server's, of which there are more in
-- newer versions.
select
    name,
    set_config(name, '0', false) as setting
from pg_settings
where
    name in (
        'idle_in_transaction_session_timeout',
        'idle_session_timeout',
        'lock_timeout',
        'statement_timeout',
        'transaction_timeout'
    )
