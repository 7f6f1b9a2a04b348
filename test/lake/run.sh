#!/usr/bin/env bash
# run.sh FOLDER [ARGUMENTS]: the tests of the lake, whose servers and extensions are installed in FOLDER.
set -euo pipefail
folder=$1
shift
# .ci/run counts those of `make test`.
unset CI_TEST_RESULTS
LAKE=$folder exec vitest run "${@:-test/lake}"
