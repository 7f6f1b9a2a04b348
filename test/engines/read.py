"""Does what read.js does, with the DuckDB that `pip install duckdb` brings: read.py FILE"""

import json
import sys

import duckdb

connection = duckdb.connect(":memory:")


def rows(sql):
    return connection.execute(sql).fetchall()


def views(catalog):
    return rows(
        f"""select schema_name, view_name, sql from duckdb_views()
        where database_name = '{catalog}' and not internal and schema_name in ('mart', 'meta') order by all"""
    )


def contents(catalog):
    connection.execute(f"use {catalog}")
    found = {}
    for schema, view, _ in views(catalog):
        name = f"{schema}.{view}"
        try:
            found[name] = [json.loads(line) for (line,) in rows(f"select to_json(v)::varchar from {name} as v")]
        except duckdb.Error as error:
            found[name] = str(error)[:300]
    return found


connection.execute("set timezone = 'UTC'")
connection.execute(f"attach '{sys.argv[1]}' as copy (read_only)")
connection.execute("attach ':memory:' as fresh")
as_published = contents("copy")

connection.execute("use fresh")
for schema, table in rows("select schema_name, table_name from duckdb_tables() where database_name = 'copy' order by all"):
    connection.execute(f'create schema if not exists "{schema}"')
    connection.execute(f'create table "{schema}"."{table}" as from copy."{schema}"."{table}"')
connection.execute("create schema if not exists mart")
# In the order of their dependencies: a view that reads a later one succeeds in a later round.
left = views("copy")
for _ in range(20):
    failed = []
    for view in left:
        try:
            connection.execute(view[2])
        except duckdb.Error:
            failed.append(view)
    left = failed
made_again = contents("fresh")
[[version]] = rows("select library_version from pragma_version()")
print(json.dumps({"version": version, "asPublished": as_published, "madeAgain": made_again}))
