update runs set planner = $2
where run_id = $1
