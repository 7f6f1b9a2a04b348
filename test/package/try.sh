#!/usr/bin/env bash
# The package as users get it: packed, installed into an empty folder, and used there without the repository.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'kill "${simulator:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT

echo "Packing …"
cd "$repository"
npm pack --silent --pack-destination "$folder" >/dev/null
echo "Installing $(basename "$folder"/vaulthouse-*.tgz) into an empty folder …"
mkdir "$folder/empty"
cd "$folder/empty"
npm init --yes >/dev/null
npm install --no-progress --silent "$folder"/vaulthouse-*.tgz
vaulthouse=node_modules/.bin/vaulthouse

"$vaulthouse" simulate --port 0 --vaults 2 --days 5 >simulator.log &
simulator=$!
for _ in $(seq 100); do
  url=$(sed -n 's/^Base URL: //p' simulator.log)
  [ -n "$url" ] && break
  sleep 0.1
done
export VAULTHOUSE_BASE_URL=${url:?the simulator did not start: $(cat simulator.log)}
"$vaulthouse" init </dev/null
schema=$(sed -n 's/^# yaml-language-server: $schema=//p' vaulthouse.config.yaml)
[ -f "${schema:?init names no schema}" ] || { echo "there is no schema at $schema" >&2; exit 1; }
"$vaulthouse" config check
"$vaulthouse" sync --no-progress
rows=$("$vaulthouse" query --format csv "select count(*) as rows from core.ratio_history" | tail -1)
[ "$rows" -gt 0 ] || { echo "the installed package landed no rows" >&2; exit 1; }
"$vaulthouse" schedule --once --no-progress
"$vaulthouse" check
"$vaulthouse" backup backup
"$vaulthouse" restore backup --data-dir restored
echo "The installed package works: $rows ratio points."
