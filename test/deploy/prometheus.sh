#!/usr/bin/env bash
# prometheus.sh SCRATCH: the alert rules and their tests by promtool; then a real Prometheus scrapes a scheduler, and every
# expression of the Grafana dashboard is one that it evaluates.
set -euo pipefail
scratch=$1
tools=node_modules/.deploy/prometheus
# Unpacked, not installed: the package would start a service.
if [ ! -x "$tools/usr/bin/promtool" ]; then
  package=$(mktemp -d)
  download() { (cd "$package" && apt-get -qq download prometheus) >/dev/null 2>&1; }
  download || { apt-get -qq update >/dev/null 2>&1; download; } || {
    echo "the Debian package prometheus can't be had here"
    exit 77
  }
  mkdir -p "$tools"
  dpkg-deb --extract "$package"/prometheus_*.deb "$tools"
  rm -r "$package"
fi
PATH=$PWD/$tools/usr/bin:$PATH

promtool check rules deploy/prometheus/alerts.yml
promtool test rules test/deploy/alerts.test.yml

trap 'kill $(jobs -p) 2>/dev/null' EXIT
vaulthouse schedule --data-dir "$scratch/watched" --listen 127.0.0.1:0 --no-progress >/dev/null 2>"$scratch/scheduler.log" &
wait_for() {
  for _ in $(seq 1500); do
    "$@" && return
    sleep 0.2
  done
  cat "$scratch/scheduler.log"
  return 1
}
wait_for grep -q "next run at" "$scratch/scheduler.log"
target=$(sed -n 's/.*listening on http:\/\/\([0-9.:]*\).*/\1/p' "$scratch/scheduler.log")
curl --silent --fail "http://$target/metrics" | promtool check metrics

cat >"$scratch/prometheus.yml" <<CONFIG
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [$PWD/deploy/prometheus/alerts.yml]
scrape_configs:
  - { job_name: vaulthouse, static_configs: [{ targets: ["$target"] }] }
CONFIG
promtool check config "$scratch/prometheus.yml"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file="$scratch/prometheus.yml" --storage.tsdb.path="$scratch/tsdb" \
  --web.listen-address="127.0.0.1:$port" >"$scratch/prometheus.log" 2>&1 &
api="http://127.0.0.1:$port"
scraped() { promtool query instant "$api" vaulthouse_disk_bytes 2>/dev/null | grep -q archive; }
wait_for scraped
expressions=$(python3 -c '
import json
for panel in json.load(open("deploy/grafana/vaulthouse.json"))["panels"]:
    for target in panel["targets"]:
        print(target["expr"].replace("$instance", ".*"))')
while IFS= read -r expression; do
  promtool query instant "$api" "$expression" >"$scratch/answer" 2>&1 || { cat "$scratch/answer"; echo "$expression"; exit 1; }
done <<<"$expressions"
promtool query instant "$api" 'ALERTS{alertstate="firing"}' >"$scratch/answer"
if grep ALERTS "$scratch/answer"; then
  echo "These alerts fire though all is well."
  exit 1
fi
