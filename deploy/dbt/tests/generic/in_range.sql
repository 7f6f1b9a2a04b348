{# Values are within bounds, both included; null is. #}
{% test in_range(model, column_name, at_least=none, at_most=none) %}
select {{ column_name }}
from {{ model }}
where
    false
    {% if at_least is not none %}or {{ column_name }} < {{ at_least }}{% endif %}
    {% if at_most is not none %}or {{ column_name }} > {{ at_most }}{% endif %}
{% endtest %}
