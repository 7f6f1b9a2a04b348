"""Loads the definitions as Dagster would, and materializes the asset with its check."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "deploy/dagster"))
import dagster as dg  # noqa: E402
import vaulthouse_definitions as module  # noqa: E402

dg.Definitions.validate_loadable(module.definitions)
result = dg.materialize([module.warehouse, module.checks])
assert result.success
(landed,) = result.asset_materializations_for_node("warehouse")
assert landed.metadata["rows_inserted"].value > 0, landed.metadata
(evaluation,) = result.get_asset_check_evaluations()
assert evaluation.passed, evaluation
