-- UTC whatever the session's time zone, and without the icu extension.
select make_timestamp(epoch_us(now())) as now_at
