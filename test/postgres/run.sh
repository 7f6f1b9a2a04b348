#!/usr/bin/env bash
# run.sh FOLDER [ARGUMENTS]: the tests with PostgreSQL, which is installed in FOLDER.
set -euo pipefail
. test/deploy/need.sh
need psql postgresql-client
export POSTGRES=$1
shift
exec vitest run test/postgres "$@"
