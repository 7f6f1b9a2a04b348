-- Parts of no publication, but for $1; of the relation $2, or of all where it is null.
select id
from parts
where
    not exists (select from publication_parts where part_id = id)
    and id <> all ($1::bigint[])
    and relation = coalesce($2, relation)
order by id
