-- Parts of no publication, but for $1.
select id
from parts
where not exists (select from publication_parts where part_id = id) and id <> all ($1::bigint[])
order by id
