-- Archived responses by their ids, each with its run.
select
    responses.response_id,
    responses.endpoint,
    responses.method,
    responses.url,
    responses.request_body,
    responses.status,
    responses.received_at,
    responses.bytes,
    responses.body_sha256,
    responses.archive_file,
    responses.archive_offset,
    responses.archive_length,
    responses.pipeline,
    responses.entity,
    responses."window",
    responses.run_id
from raw.responses
where responses.response_id in (select unnest(string_split($ids, ' ')))
