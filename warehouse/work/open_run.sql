insert into runs (run_id, command, settings, request, planner)
values ($1, $2, $3::jsonb, $4::json, $5)
