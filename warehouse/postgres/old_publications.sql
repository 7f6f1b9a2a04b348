-- Publications that are neither the newest nor among the $1 before it that are to stay for $2 days after they were replaced.
select number
from (
    select
        number,
        row_number() over (order by number desc) as place,
        lead(switched_at) over (order by number) as replaced_at
    from publications
) ranked
where place > 1 and (place > 1 + $1::bigint or replaced_at <= now() - make_interval(days => $2::integer))
order by number
