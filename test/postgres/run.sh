#!/usr/bin/env bash
# run.sh FOLDER: the tests with PostgreSQL, which is installed in FOLDER.
set -euo pipefail
. test/deploy/need.sh
need psql postgresql-client
POSTGRES=$1 exec vitest run test/postgres
