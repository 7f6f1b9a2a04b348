-- Where does the service contradict itself?
-- For a risk officer before the quarter's figures are signed.
--
--     vault: address or name of a vault; every vault unless it is set
--
-- One row for each vault and comparison of mart.reconciliation, the largest contradictions first, whatever their
-- sign. relative_difference is a fraction; values are in `unit`. A comparison with an unknown side is left out.
with

comparisons as (
    select
        vault_name,
        vault_address,
        comparison,
        compared_at,
        unit,
        left_value,
        right_value,
        relative_difference,
        tolerance,
        is_within_tolerance
    from mart.reconciliation
    where getvariable('vault')::varchar is null or getvariable('vault')::varchar in (vault_address, vault_name)
)

select
    vault_name,
    vault_address,
    comparison,
    is_within_tolerance,
    relative_difference,
    unit,
    left_value,
    right_value,
    tolerance,
    compared_at
from comparisons
order by
    is_within_tolerance,
    -- Further digits come from the arithmetic alone.
    round(abs(relative_difference), 9) desc nulls last,
    vault_name,
    vault_address,
    comparison
