#!/usr/bin/env bash
# Checks everything in deploy/ with the tools of those who will read it, and runs it against the simulator. Fails when
# one part failed; a part whose tools this machine can't have is skipped with a line that says so.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
tools=$PWD/node_modules/.deploy/bin
scratch=$(mktemp -d)
. test/deploy/part.sh
trap 'kill "${simulator:-}" 2>/dev/null; rm -rf "$scratch"' EXIT
chmod 0755 "$scratch"

touch "$scratch/simulator.log"
bin/vaulthouse simulate --port 0 --vaults 2 --days 5 >"$scratch/simulator.log" &
simulator=$!
for _ in $(seq 3000); do
  VAULTHOUSE_BASE_URL=$(sed -n 's/^Base URL: //p' "$scratch/simulator.log")
  [ -n "$VAULTHOUSE_BASE_URL" ] && break
  sleep 0.1
done
[ -n "$VAULTHOUSE_BASE_URL" ] || { echo "The simulator did not start." >&2; exit 1; }
export VAULTHOUSE_BASE_URL PATH="$PWD/bin:$PATH"

part "Dockerfile: hadolint" "$tools/hadolint" deploy/docker/Dockerfile
part "compose.yaml: schema" "$tools/check-jsonschema" --builtin-schema vendor.compose-spec deploy/docker/compose.yaml
part "GitHub Actions: schema" "$tools/check-jsonschema" --builtin-schema vendor.github-workflows deploy/github-actions/vaulthouse.yml
part "Kubernetes: schemas" "$tools/kubernetes-validate" --strict deploy/kubernetes/*.yaml
part "systemd: units" test/deploy/systemd.sh "$tools" "$scratch"
part "Prometheus: alert rules, and the expressions of the Grafana dashboard" test/deploy/prometheus.sh "$scratch"
part "Airflow: the DAG's task" env VAULTHOUSE_DATA_DIR="$scratch/airflow" AIRFLOW_HOME="$scratch" "$tools/python" test/deploy/try_airflow.py
part "Dagster: the asset and its check" env VAULTHOUSE_DATA_DIR="$scratch/dagster" DAGSTER_HOME= "$tools/python" test/deploy/try_dagster.py
part "Image: built, and run read-only" test/deploy/image.sh "$scratch"
exit $failed
