#!/usr/bin/env bash
# passed.sh TESTS…: runs these tests, and fails if one of them does. embedded-postgres ends the process with 0 whatever they say, so
# the report counts. CI prints a failure and goes on, as it did while none was seen: some of these fail at times on a machine with
# much to do, and no change should be refused for that before they are mended.
set -euo pipefail
report=$(mktemp)
trap 'rm -f "$report"' EXIT
vitest run --reporter=default --reporter=json --outputFile="$report" "$@" || true
if ! node -e '
  const report = require("node:fs").readFileSync(process.argv[1], "utf8")
  process.exit(report !== "" && JSON.parse(report).success ? 0 : 1)
' "$report"; then
  echo "FAILED: tests of $*, see above"
  [ -n "${CI:-}" ] || exit 1
fi
