-- Bodies that the newest run archived, so that one that is received again is not stored again.
select
    body_sha256,
    archive_file,
    archive_offset,
    archive_length
from raw.responses
where run_id = (select max_by(run_id, received_at) from raw.responses where endpoint <> 'swap')
