#!/usr/bin/env bash
# run.sh FOLDER [ARGUMENTS]: the tests of the lake, whose servers and extensions are installed in FOLDER.
set -euo pipefail
folder=$1
shift
# .ci/run counts those of `make test`.
unset CI_TEST_RESULTS
export LAKE=$folder
vitest run "${@:-test/lake}"
# Of test/crash/lake, a minute that the date chooses.
[ $# -gt 0 ] || exec node test/crash/lake/main.ts --slice
