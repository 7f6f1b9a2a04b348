"""Publishes twice, registers each publication, and compares what pyiceberg, DuckDB's Iceberg extension and PyArrow read
with the published copy: every table, every value. try_register.py FOLDER"""

import importlib.util
import json
import os
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pyarrow.dataset
from pyiceberg.catalog import load_catalog

folder = Path(sys.argv[1])
data = folder / "data"
root = Path(__file__).parents[2]
vaulthouse = str(root / "bin/vaulthouse")
catalog_is = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"file://{folder}/warehouse"}
os.environ["VAULTHOUSE_API_KEY"] = "demo-admin-key"
os.environ.update({f"PYICEBERG_CATALOG__DEFAULT__{name.upper()}": value for name, value in catalog_is.items()})
now = datetime.now(timezone.utc).replace(minute=0, second=0, microsecond=0)


def run(*command: str) -> str:
    ended = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def sync(ended: datetime) -> None:
    """Publishes what a service says whose history ends there."""
    log = folder / "simulator.log"
    began = (now - timedelta(days=100)).isoformat()
    size = ["--vaults", "2", "--subaccounts", "5", "--start", began, "--now", ended.isoformat()]
    with log.open("w") as output:
        simulator = subprocess.Popen([vaulthouse, "simulate", "--port", "0", *size], stdout=output)
    try:
        while "Base URL: " not in log.read_text():
            assert simulator.poll() is None, log.read_text()
            time.sleep(0.05)
        address = log.read_text().split("Base URL: ")[1].split()[0]
        run(vaulthouse, "sync", "--data-dir", str(data), "--base-url", address)
    finally:
        simulator.terminate()
        simulator.wait()


def register() -> str:
    return run(sys.executable, str(root / "deploy/iceberg/register.py"), "--parquet", str(data / "parquet"))


def extension(name: str) -> str:
    package = importlib.util.find_spec(f"duckdb_extension_{name}").submodule_search_locations[0]
    return str(next(Path(package).glob(f"extensions/*/{name}.duckdb_extension")))


connection = duckdb.connect()
connection.execute("set TimeZone = 'UTC'")
for name in ["avro", "iceberg"]:
    connection.execute(f"load '{extension(name)}'")
catalog = load_catalog("default", **catalog_is)


def tables() -> dict[str, list[dict]]:
    manifest = json.loads((data / "parquet/current/manifest.json").read_text())
    by_table: dict[str, list[dict]] = {}
    for file in manifest["files"]:
        by_table.setdefault(f"{file['schema']}.{file['table']}", []).append(file)
    return by_table


def compare() -> int:
    """Fails where a reader sees other rows than the published copy holds. Returns the number of rows."""
    connection.execute(f"attach '{data}/published/vaulthouse.duckdb' as published (read_only)")
    compared = 0
    for table, files in tables().items():
        # The copy's stamp counts the files, so it is younger than they are.
        if table == "ops.publications":
            continue
        registered = catalog.load_table(f"vaulthouse_{table}")
        iceberg = registered.scan().to_arrow()
        arrow = pyarrow.dataset.dataset(data / "parquet/current" / table.replace(".", "/")).to_table()
        described = connection.execute(f"describe published.{table}").fetchall()
        for column, kind, *_ in described:
            expected = {"TIMESTAMP": "timestamp[us, tz=UTC]", "JSON": "string", "VARCHAR": "string"}.get(kind)
            assert expected in (None, str(arrow.schema.field(column).type)), f"{table}.{column}: {arrow.schema}"
        columns = ", ".join(f'"{column}"::{kind} as "{column}"' for column, kind, *_ in described)
        rows = sum(file["rows"] for file in files)
        for reader, source in {
            "pyiceberg": "iceberg",
            "DuckDB": f"iceberg_scan('{registered.metadata_location}')",
            "PyArrow": "arrow",
        }.items():
            different = f"""select count(*) from (
              (select {columns} from {source} except all from published.{table}) union all
              (from published.{table} except all select {columns} from {source}))"""
            [[found]] = connection.execute(f"select count(*) from {source}").fetchall()
            [[wrong]] = connection.execute(different).fetchall()
            assert (found, wrong) == (rows, 0), f"{table} by {reader}: {found} of {rows} rows, {wrong} differ"
        compared += rows
    connection.execute("detach published")
    return compared


def counts(output: str) -> dict[str, tuple[int, int]]:
    lines = [line.split() for line in output.splitlines() if "files added" in line]
    return {line[0].rstrip(":").removeprefix("vaulthouse_"): (int(line[1]), int(line[4])) for line in lines}


sync(now - timedelta(hours=2))
before = tables()
rows_of_others = pyarrow.table({"n": [1]})
catalog.create_namespace("vaulthouse_test_core")
catalog.create_table("vaulthouse_test_core.vaults", rows_of_others.schema).append(rows_of_others)
assert counts(register()) == {table: (len(files), 0) for table, files in before.items()}
assert counts(register()) == {}, "a second time changes nothing"
compared = compare()
first = catalog.load_table("vaulthouse_core.ratio_history").current_snapshot().snapshot_id
earlier = catalog.load_table("vaulthouse_core.ratio_history").scan().to_arrow().num_rows

sync(now)
changed = counts(register())
after = tables()
history = {file["month"]: file["path"] for file in before["core.ratio_history"]}
kept = [file for file in after["core.ratio_history"] if history.get(file["month"]) == file["path"]]
months = len(after["core.ratio_history"])
added, removed = changed["core.ratio_history"]
assert added == months - len(kept) and 1 <= added <= 2 and removed <= 1 and months >= 3, changed
assert "core.fees" not in changed, "what the run did not change stays"
compared += compare()
table = catalog.load_table("vaulthouse_core.ratio_history")
assert len(table.metadata.snapshots) == 2
assert table.current_snapshot().summary["vaulthouse.run-id"]
assert table.scan(snapshot_id=first).to_arrow().num_rows == earlier < table.scan().to_arrow().num_rows

assert catalog.load_table("vaulthouse_test_core.vaults").scan().to_arrow().num_rows == 1, "others' tables stay"

print(f"{compared} rows of {len(after)} tables are the same for three readers; {len(changed)} tables changed.")
