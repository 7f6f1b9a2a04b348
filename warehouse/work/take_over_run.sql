-- Makes $2 the planner of run $1. Workers join the run again, in case there is more to read.
update runs set
    planner = $2,
    is_read = false
where run_id = $1
