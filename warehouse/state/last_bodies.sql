-- Bodies that the newest run archived: one that comes again is not written again.
select
    body_sha256,
    archive_file,
    archive_offset,
    archive_length
from raw.responses
where run_id = (select max_by(run_id, received_at) from raw.responses where endpoint <> 'swap')
