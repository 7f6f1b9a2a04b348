update runs set is_read = true
where run_id = $1
