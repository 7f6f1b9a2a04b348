#!/usr/bin/env bash
# Reads a published copy with the tools of deploy/dbt, deploy/bi and docs/bi, and compares what they show with SQL. Fails
# when one part failed; a part whose tools this machine can't have is skipped with a line that says so.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
installed=$PWD/node_modules/.bi
tools=$installed/python/bin
scratch=$(mktemp -d)
. test/deploy/part.sh
trap 'rm -rf "$scratch"' EXIT

node test/bi/example.ts "$scratch" || exit
published=$scratch/stopped-clock.duckdb

part "dbt: the project built, its metrics queried" "$tools/python" test/bi/try_dbt.py "$published" "$scratch"
part "Malloy: every view" node test/bi/malloy.js "$installed/npm" "$published"
part "Evidence: every query" node test/bi/evidence.js "$installed/npm" "$published" "$scratch"
part "Grafana: every query, on PostgreSQL" env TZ=UTC POSTGRES="$PWD/node_modules/.postgres" \
  node test/bi/grafana.ts "$installed/npm" "$scratch/data" "$scratch"
part "Notebook: executed" env VAULTHOUSE_PUBLISHED="$published" \
  "$tools/jupyter" nbconvert --to notebook --execute --ExecutePreprocessor.startup_timeout=600 --output-dir "$scratch" deploy/bi/jupyter/vaults.ipynb
drivers=$installed/jdbc
test/bi/jdbc.sh "$drivers" && command -v java >/dev/null || { echo "   skipped: JDBC, which needs Java and Maven Central"; drivers=; }
part "docs/bi: what the pages show" env JDBC_DRIVERS="${drivers:+$drivers/today}" \
  "$tools/python" test/bi/try_pages.py "$scratch/data" "$scratch"
part "Readers while syncs run" node test/bi/whileSyncing.ts "$installed/npm" "$scratch" \
  ${drivers:+"$drivers/older/duckdb_jdbc.jar"}
exit $failed
