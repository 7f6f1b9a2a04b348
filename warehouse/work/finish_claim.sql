update claims set is_done = true
where run_id = $1 and pipeline = $2 and entity = $3 and epoch = $4
returning entity
