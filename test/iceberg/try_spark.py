"""Reads every published Parquet table with Spark and compares counts, sums and ends with the published copy.
try_spark.py FOLDER, in which try_register.py has published."""

import functools
import json
import math
import os
import sys
import time
from pathlib import Path

import duckdb
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

data = Path(sys.argv[1]) / "data"
current = Path(os.path.realpath(data / "parquet/current"))
published = duckdb.connect(str(data / "published/vaulthouse.duckdb"), read_only=True)
published.execute("set TimeZone = 'UTC'")
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "OFF")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.sql.adaptive.enabled", "false")
    .config("spark.sql.codegen.wholeStage", "false")
    .getOrCreate()
)


def expressions(columns: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """For each column what both engines say about it, as SQL of DuckDB and of Spark: a sum of numbers, the ends of times,
    the length of texts."""
    both = []
    for name, kind in columns:
        if kind in ("DOUBLE", "BIGINT"):
            both.append((f'sum("{name}")::double', f"cast(sum(`{name}`) as double)"))
        elif kind == "TIMESTAMP":
            both += [(f'epoch_us({end}("{name}"))', f"unix_micros({end}(`{name}`))") for end in ("min", "max")]
        elif kind == "BOOLEAN":
            both.append((f'count(*) filter ("{name}")', f"count_if(`{name}`)"))
        elif kind == "DATE":
            both += [(f'{end}("{name}")::varchar', f"cast({end}(`{name}`) as string)") for end in ("min", "max")]
        else:
            both.append((f'sum(length("{name}"::varchar))::double', f"cast(sum(length(`{name}`)) as double)"))
    return both


def same(one: object, other: str | None) -> bool:
    """Sums of doubles depend on the order of the rows."""
    if isinstance(one, float) and other is not None:
        return math.isclose(one, float(other), rel_tol=1e-9, abs_tol=1e-9)
    return (None if one is None else str(one)) == other


began = time.monotonic()
files = json.loads((current / "manifest.json").read_text())["files"]
expected = {}
frames = []
for table in sorted({f"{file['schema']}.{file['table']}" for file in files} - {"ops.publications"}):
    described = [(name, kind) for name, kind, *_ in published.execute(f"describe {table}").fetchall()]
    both = [("count(*)", "count(*)"), *expressions(described)]
    expected[table] = (both, published.execute(f"select {', '.join(one for one, _ in both)} from {table}").fetchone())
    found = f.array(*(f.expr(other).cast("string") for _, other in both))
    frames.append(spark.read.parquet(str(current / table.replace(".", "/"))).select(f.lit(table), found))
# All of them as one job: each of its own takes Spark a second.
for table, found in functools.reduce(lambda one, other: one.union(other), frames).collect():
    both, values = expected.pop(table)
    wrong = [(sql, one, other) for (sql, _), one, other in zip(both, values, found) if not same(one, other)]
    assert not wrong, f"{table}: {wrong}"
assert not expected, expected
spark.stop()
print(f"Spark reads the same rows of {len(frames)} tables, by counts, sums and ends ({time.monotonic() - began:.0f} s).")
