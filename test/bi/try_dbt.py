"""Builds deploy/dbt over a published copy, queries metrics of each kind with MetricFlow, and compares them with SQL. Then
plants each defect of test/pipelines/defects.yml in a copy, and expects the tests of the checks it names to fail.

try_dbt.py PUBLISHED SCRATCH: the copy, and a folder for what dbt writes.
"""

import csv
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import yaml

published, scratch = map(Path, sys.argv[1:])
project = scratch / "dbt"
shutil.copytree("deploy/dbt", project)
tools = Path(sys.executable).parent
environment = os.environ | {
    "DBT_PROFILES_DIR": str(project),
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "VAULTHOUSE_DBT_FILE": str(scratch / "dbt.duckdb"),
    "VAULTHOUSE_PUBLISHED": str(published),
}


def tool(*command):
    done = subprocess.run([tools / command[0], *command[1:]], cwd=project, env=environment, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


built = tool("dbt", "build", "--no-use-colors").splitlines()
print(built[-1])
assert "WARN=0" in built[-1], built

# MetricFlow's metrics and grouping, then the same in SQL.
queries = [
    (
        "nav_usd,buffer_share",
        "metric_time__month",
        """with newest as (
            select date_trunc('month', day) as month, vault_address, max(day) as day from mart.vault_daily group by all)
        select month::date, sum(nav_usd), sum(buffer_usd) / sum(nav_usd)
        from newest inner join mart.vault_daily using (vault_address, day) group by month""",
    ),
    # Of two marts.
    (
        "share_of_hours_present,collateral_ratio_low,apy_smoothed,pnl_usd_change",
        "vault",
        """with changes as (select vault_address, sum(pnl_usd_change) as pnl from mart.pnl_daily group by all)
        select vault_address, sum(hours_present) / sum(hours_expected), min(collateral_ratio_low), avg(apy_smoothed), any_value(pnl)
        from mart.vault_daily left join changes using (vault_address) group by all""",
    ),
    (
        "health_factor_low,debt_usd",
        "subaccount",
        """select subaccount_address, min(health_factor_low), arg_max(debt_usd, day) filter (debt_usd is not null)
        from mart.subaccount_health_daily group by all""",
    ),
]

connection = duckdb.connect(str(published), read_only=True)
for metrics, group, sql in queries:
    output = scratch / "metrics.csv"
    tool("mf", "query", "--metrics", metrics, "--group-by", group, "--csv", str(output))
    with output.open() as file:
        _, *rows = csv.reader(file)
    found = {row[0].removesuffix(" 00:00:00"): [float(text) if text else None for text in row[1:]] for row in rows}
    expected = {str(row[0]): list(row[1:]) for row in connection.execute(sql).fetchall()}
    assert found.keys() == expected.keys(), (found, expected)
    compared = 0
    for key, values in expected.items():
        for one, other in zip(values, found[key], strict=True):
            assert (one is None) == (other is None), (metrics, key, one, other)
            assert one is None or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9), (metrics, key, one, other)
            compared += one is not None
    assert compared > 0, metrics
    print(f"{metrics} by {group}: {len(expected)} groups, {compared} figures equal")

connection.close()

# A defect at a time, by the SQL that dbt compiled for the tests; each is undone before the next.
manifest = json.loads((project / "target" / "manifest.json").read_text())
tests = {}
for node in manifest["nodes"].values():
    check = node["config"].get("meta", {}).get("check")
    if node["resource_type"] == "test" and check is not None:
        tests.setdefault(check, []).append(node["compiled_code"])

defects = yaml.safe_load(Path("test/pipelines/defects.yml").read_text())
spoilt = scratch / "spoilt.duckdb"
shutil.copy(published, spoilt)
copy = duckdb.connect()
copy.execute(f"attach '{spoilt}' as vaulthouse; use vaulthouse")
copy.execute(Path("test/pipelines/defects.sql").read_text())


def failures(check):
    return sum(copy.execute(f"select count(*) from ({sql}\n)").fetchone()[0] for sql in tests[check])


for each in defects:
    before = {check: failures(check) for check in each["checks"]}
    copy.execute("begin")
    copy.execute(each["sql"])
    red = [check for check in each["checks"] if failures(check) > before[check]]
    copy.execute("rollback")
    # A copy holds some marts as tables, which what is planted in it does not reach.
    assert red, each["defect"]
print(f"{len(defects)} planted defects, each of them red")

# Two of them for dbt itself: an error fails the command, an implausible figure warns.
for name in ["Net asset value of -5", "Vault without a name"]:
    [sql] = [each["sql"] for each in defects if each["defect"] == name]
    copy.execute(sql)
copy.execute("use memory; detach vaulthouse")
environment["VAULTHOUSE_PUBLISHED"] = str(spoilt)
done = subprocess.run(
    [tools / "dbt", "test", "--no-use-colors", "--select", "source:core"],
    cwd=project,
    env=environment,
    text=True,
    capture_output=True,
)
summary = done.stdout.splitlines()[-1]
print(summary)
assert done.returncode == 1 and "ERROR=0" not in summary and "WARN=0" not in summary, done.stdout
