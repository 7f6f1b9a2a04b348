#!/usr/bin/env bash
# flaky.sh [ARGS…]: runs the tests of `make test`, or those that ARGS name, until they have passed $TIMES times in a row,
# $AT_ONCE at once: these are each other's load, since each has two processes more than there are cores. Goes on where an
# earlier call of the same commit and arguments stopped. If a run fails, prints its output, and the count begins again.
# Twenty runs or more of `make test` go into docs/reliability.md.
set -uo pipefail
times=${TIMES:-20}
at_once=${AT_ONCE:-5}
[ $# -gt 0 ] || export TESTS=${TESTS:-short}

if [ -n "$(git status --porcelain)" ]; then
  echo "Commit first: what has passed is recorded for a commit." >&2
  exit 1
fi
commit=$(git rev-parse --short=12 HEAD)
passes=node_modules/.flaky/$commit-$(cksum <<<"${TESTS:-} $*" | cut -d' ' -f1)
mkdir -p node_modules/.flaky && touch "$passes"
logs=$(mktemp -d)
end() {
  # Each run with all of its processes.
  for run in $(jobs -p); do kill -- "-$run" 2>/dev/null; done
  rm -rf "$logs"
}
trap end EXIT
trap 'exit 130' INT TERM
set -m

passed() { wc -l <"$passes"; }
# The load of the last minute, as the system counts it.
load() { cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo "?"; }
started=0
running=0
declare -A seeds
while [ "$(passed)" -lt "$times" ]; do
  while [ "$running" -lt "$at_once" ] && [ $(($(passed) + running)) -lt "$times" ]; do
    started=$((started + 1))
    running=$((running + 1))
    seed=$((RANDOM * 32768 + RANDOM))
    TEST_SEED=$seed vitest run "$@" </dev/null >"$logs/$started" 2>&1 &
    seeds[$!]="$seed $started $SECONDS"
  done
  wait -n -p ended
  status=$?
  read -r seed number began <<<"${seeds[$ended]}"
  running=$((running - 1))
  if [ $status -ne 0 ]; then
    cat "$logs/$number"
    echo "FAILED, with TEST_SEED=$seed, after $(passed) that passed (load $(load))"
    rm "$passes"
    exit 1
  fi
  echo "$(date +%F) seed $seed, $((SECONDS - began)) s, load $(load)" >>"$passes"
  echo "$(passed) of $times passed: seed $seed, $((SECONDS - began)) s, load $(load)"
done
if [ $# -eq 0 ] && [ "$TESTS" = short ] && [ "$times" -ge 20 ]; then
  node test/reliability/repeated.ts "${commit:0:8}" "$at_once" "$passes" && node test/reliability/report.ts
fi
