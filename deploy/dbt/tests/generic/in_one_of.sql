{# As `relationships`, of rows that may be in any of several relations. #}
{% test in_one_of(model, column_name, relations, fields) %}
select {{ column_name }}
from {{ model }}
where
    {{ column_name }} not in (
        {% for relation in relations %}
        select {{ fields[loop.index0] }} from {{ relation }} where {{ fields[loop.index0] }} is not null
        {% if not loop.last %}union all{% endif %}
        {% endfor %}
    )
{% endtest %}
