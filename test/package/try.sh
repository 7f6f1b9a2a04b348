#!/usr/bin/env bash
# The package as users get it: packed, installed into an empty folder, and used there without the repository.
# shellcheck disable=SC2016
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'kill "${simulator:-}" "${receiver:-}" "${page:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT

# What a release consists of, without the image, which test/deploy builds: the same bytes each time, whenever files were written.
echo "Packing …"
cd "$repository"
export SOURCE_DATE_EPOCH=1
IMAGE=off build/release.sh "$folder/first" >/dev/null
find docs deploy -type f -exec touch -c {} +
IMAGE=off build/release.sh "$folder/release" >/dev/null
diff -r "$folder/first" "$folder/release"
(cd "$folder/release" && sha256sum --check --quiet SHA256SUMS)
mv "$folder"/release/vaulthouse-*.tgz "$folder"
grep -q '"purl": "pkg:npm/uplot@' "$folder"/release/*.cdx.json
echo "Installing $(basename "$folder"/vaulthouse-*.tgz) into an empty folder …"
mkdir "$folder/empty"
cd "$folder/empty"
npm init --yes >/dev/null
# Whatever this machine's settings hide: an engine that does not fit is a warning, and there is none.
npm install --no-progress --loglevel=warn "$folder"/vaulthouse-*.tgz >install.log 2>&1
if grep -E "EBADENGINE|deprecated" install.log; then exit 1; fi
vaulthouse=node_modules/.bin/vaulthouse

# says FILE PATTERN: waits for a line, and prints what follows the pattern in it.
says() {
  for _ in $(seq 3000); do
    if grep -q "$2" "$1" 2>/dev/null; then
      sed -n "s|^.*$2||p" "$1" | head -1
      return
    fi
    sleep 0.1
  done
  echo "nothing in $1 has $2:" >&2
  cat "$1" >&2
  return 1
}

# The command is one bundle: besides it there is DuckDB, and Node itself.
others=$(find node_modules -mindepth 1 -maxdepth 2 -name package.json -o -mindepth 2 -maxdepth 3 -path '*/@*/*' -name package.json |
  sed 's|^node_modules/||; s|/package.json$||' | grep -vE '^(vaulthouse|vaulthouse/dist|@duckdb/.*|detect-libc|node-linux-.*)$' || true)
[ -z "$others" ] || { echo "the package brings these too: $others" >&2; exit 1; }
grep -q '^effect 4' node_modules/vaulthouse/dist/LICENSES.txt
# The stack trace of a failure names lines of the source.
"$vaulthouse" sync --base-url http://127.0.0.1:9 --data-dir /proc/nowhere --log-level debug 2>trace.log &&
  { echo "a sync into /proc succeeded" >&2; exit 1; }
grep -q 'src/load/.*\.ts:[0-9]' trace.log || { cat trace.log >&2; exit 1; }

"$vaulthouse" simulate --port 0 --vaults 2 --days 5 >simulator.log &
simulator=$!
node_modules/.bin/node --eval '
  const server = require("node:http").createServer(async (request, response) => {
    console.log(request.method, request.url, Buffer.concat(await request.toArray()).toString())
    response.end()
  })
  server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`))
' >received.log &
receiver=$!
url=$(says simulator.log "Base URL: ")
port=$(says received.log "port ")

# From nothing to a scheduled sync with notifications, as docs/deploying.md has it.
"$vaulthouse" init --base-url "$url" --data-dir data
schema=$(sed -n 's/^# yaml-language-server: $schema=//p' vaulthouse.config.yaml)
[ -f "${schema:?init names no schema}" ] || { echo "there is no schema at $schema" >&2; exit 1; }
printf 'notify:\n  - webhook: http://127.0.0.1:%s/hook\n  - ping: http://127.0.0.1:%s/ping\n' "$port" "$port" \
  >>vaulthouse.config.yaml
"$vaulthouse" config check
"$vaulthouse" notify test
says received.log 'POST /hook {"event":"test"' >/dev/null
"$vaulthouse" schedule --once --no-progress
says received.log "GET /ping" >/dev/null
rows=$("$vaulthouse" query --format csv "select count(*) as rows from core.ratio_history" | tail -1)
[ "$rows" -gt 0 ] || { echo "the installed package landed no rows" >&2; exit 1; }
"$vaulthouse" check
"$vaulthouse" backup backup
"$vaulthouse" restore backup --data-dir restored
"$vaulthouse" verify --data-dir restored

"$vaulthouse" serve --data-dir data --port 0 >serve.log &
page=$!
address=$(says serve.log "data is at ")
fetched=$(node_modules/.bin/node --eval '
  const read = async (path) => {
    const response = await fetch(process.argv[1] + path)
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.text()
  }
  const html = await read("/sql")
  const files = [...html.matchAll(/(?:src|href)="(\/assets[^"]+)"/g)].map(([, path]) => path)
  for (const file of files) await read(file)
  console.log(files.length)
' --input-type=module "$address")
[ "$fetched" -eq 10 ] || { echo "the installed page has $fetched files" >&2; exit 1; }
kill "$page"
wait "$page"

kill "$simulator"
wait "$simulator" || true
"$vaulthouse" sync --no-progress && { echo "a sync without a service succeeded" >&2; exit 1; }
says received.log 'POST /hook {"event":"problem"' >/dev/null
echo "The installed package works: $rows ratio points, and a message about the service that is gone."
