"""The warehouse as a Dagster asset that `vaulthouse sync` updates every hour, and its data-quality checks."""

import json
import subprocess

import dagster as dg


@dg.asset(retry_policy=dg.RetryPolicy(max_retries=2, delay=300), group_name="vaulthouse")
def warehouse() -> dg.MaterializeResult:
    """Everything the vault platform publishes, in <data-dir>/published/vaulthouse.duckdb."""
    run = subprocess.run(["vaulthouse", "sync", "--json"], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        raise dg.Failure(
            f"vaulthouse sync ended with exit code {run.returncode}",
            metadata={"report": dg.MetadataValue.text(run.stdout)},
            allow_retries=run.returncode != 2,  # wrong settings stay wrong
        )
    report = json.loads(run.stdout)
    return dg.MaterializeResult(
        metadata={name: report[name] for name in ("run_id", "outcome", "rows_inserted", "rows_revised")}
    )


@dg.asset_check(asset=warehouse)
def checks() -> dg.AssetCheckResult:
    """The checks of `vaulthouse check`; exit code 4 means that one of severity `error` failed."""
    run = subprocess.run(["vaulthouse", "check", "--json"], stdout=subprocess.PIPE, text=True)
    return dg.AssetCheckResult(passed=run.returncode == 0, metadata={"report": dg.MetadataValue.text(run.stdout)})


hourly = dg.ScheduleDefinition(
    name="vaulthouse_hourly",
    target=dg.AssetSelection.assets(warehouse),
    cron_schedule="7 * * * *",
)

definitions = dg.Definitions(assets=[warehouse], asset_checks=[checks], schedules=[hourly])
