#!/usr/bin/env bash
# passed.sh TESTS…: runs these tests, and fails if one of them does. embedded-postgres ends the process with 0 whatever they say, so
# the report counts.
set -euo pipefail
report=$(mktemp)
trap 'rm -f "$report"' EXIT
vitest run --reporter=default --reporter=json --outputFile="$report" "$@" || true
node -e '
  const report = require("node:fs").readFileSync(process.argv[1], "utf8")
  process.exit(report !== "" && JSON.parse(report).success ? 0 : 1)
' "$report"
