"""Does what open.js does, with the DuckDB that `pip install duckdb` brings: open.py FILE…"""

import sys

import duckdb

for file in sys.argv[1:]:
    with duckdb.connect(file, read_only=True) as connection:
        connection.execute("select count(*) from mart.vault_latest").fetchall()
