{# No row meets a condition. #}
{% test no_rows(model, condition) %}
select *
from {{ model }}
where {{ condition }}
{% endtest %}
