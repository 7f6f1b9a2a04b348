-- The worked questions, ready to run.
select
    name,
    question,
    reader,
    sql
from meta.questions
order by question
