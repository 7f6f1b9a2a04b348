#!/usr/bin/env bash
# jdbc.sh FOLDER: DuckDB's JDBC drivers, from Maven Central: today's and an older one. Without them, or without Java, what
# needs them is skipped.
set -euo pipefail
mkdir -p "$1/today" "$1/older"
central=https://repo1.maven.org/maven2/org/duckdb/duckdb_jdbc
fetch() {
  [ -s "$1" ] || { curl --silent --show-error --fail --max-time 120 --output "$1.part" "$2" && mv "$1.part" "$1"; }
}
fetch "$1/today/duckdb_jdbc.jar" "$central/1.5.6.0/duckdb_jdbc-1.5.6.0.jar"
fetch "$1/older/duckdb_jdbc.jar" "$central/1.3.2.0/duckdb_jdbc-1.3.2.0.jar"
