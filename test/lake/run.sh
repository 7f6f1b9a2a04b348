#!/usr/bin/env bash
# run.sh FOLDER [ARGUMENTS]: the tests of the lake, or those of the files that are named. Its servers and extensions are
# installed in FOLDER.
set -euo pipefail
folder=$1
shift
export LAKE=$folder
case "$*" in
  "" | --*) vitest run test/lake "$@" ;;
  *) exec vitest run "$@" ;;
esac
# Of test/crash/lake, a minute that the date chooses.
exec node test/crash/lake/main.ts --slice
