"""Imports the DAG as Airflow would, and runs its task."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "deploy/airflow"))
from vaulthouse_dag import vaulthouse  # noqa: E402

dag = vaulthouse()
assert dag.task_ids == ["sync"], dag.task_ids
landed = dag.get_task("sync").python_callable()
assert landed["outcome"] == "complete" and landed["rows_inserted"] > 0, landed
