#!/usr/bin/env bash
# odbc.sh FOLDER: reads a publication by ODBC, as Excel, Power BI and Tableau do; PostgreSQL is installed in FOLDER.
set -euo pipefail
. test/deploy/need.sh
need isql unixodbc
if ! odbcinst -q -d -n "PostgreSQL Unicode" >/dev/null 2>&1; then
  apt-get -qq update && apt-get -qq install --no-install-recommends odbc-postgresql >/dev/null
fi
POSTGRES=$1 exec node test/postgres/odbc.ts
