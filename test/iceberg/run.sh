#!/usr/bin/env bash
# Registers published Parquet files as Iceberg tables with deploy/iceberg/register.py, and reads them with other engines;
# the files themselves with Spark, which needs Java.
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
node_modules/.iceberg/bin/python test/iceberg/try_register.py "$scratch"
. test/deploy/need.sh
if (need java default-jre-headless); then
  node_modules/.iceberg/bin/python test/iceberg/try_spark.py "$scratch"
fi
