-- Publications that are neither the newest nor among the $1 before it that are to stay for $2 days.
select number
from (
    select number, switched_at, row_number() over (order by number desc) as place
    from publications
) ranked
where place > 1 and (place > 1 + $1::bigint or switched_at < now() - make_interval(days => $2::integer))
order by number
