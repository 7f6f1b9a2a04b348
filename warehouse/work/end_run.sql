-- With its claims: a worker that still has one then commits nothing. Nothing where another planner took it over.
delete from runs
where run_id = $1 and planner = $2
returning run_id
