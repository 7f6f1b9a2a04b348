"""Does what read.js does, with the DuckDB that `pip install duckdb` brings: read.py FILE [calls]"""

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


def read_all(relations):
    found = {}
    for name, relation in relations:
        try:
            found[name] = [json.loads(line) for (line,) in rows(f"select to_json(v)::varchar from {relation} as v")]
        except duckdb.Error as error:
            found[name] = str(error)[:300]
    return found


def contents(catalog):
    connection.execute(f"use {catalog}")
    names = [f"{schema}.{view}" for schema, view, _ in views(catalog)]
    return read_all((name, name) for name in names)


def calls():
    macros = rows(
        """select function_name, parameters from duckdb_functions()
        where database_name = 'copy' and schema_name = 'mart' and function_type = 'table_macro' order by all"""
    )
    for macro, parameters in macros:
        values = ["null" if each.endswith("day") else "timestamp '2100-01-01'" for each in parameters]
        yield f"mart.{macro}", f"mart.{macro}({', '.join(values)})"
    for question, sql in rows("select question, sql from meta.questions order by all"):
        yield question, f"({sql})"


connection.execute("set timezone = 'UTC'")
connection.execute(f"attach '{sys.argv[1]}' as copy (read_only)")
connection.execute("attach ':memory:' as fresh")
as_published = contents("copy")
called = read_all(calls() if sys.argv[2:] == ["calls"] else [])

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
print(json.dumps({"version": version, "asPublished": as_published, "called": called, "madeAgain": made_again}))
