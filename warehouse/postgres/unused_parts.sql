-- Parts of no publication.
select id
from parts
where not exists (select from publication_parts where part_id = id)
order by id
