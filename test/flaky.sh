#!/usr/bin/env bash
# flaky.sh [ARGS…]: the tests, or those that ARGS name, $TIMES times in a row beside $LOOPS busy loops. Ends at the first
# run that fails, with what it printed; its seed repeats its random choices.
set -uo pipefail
times=${TIMES:-20}
log=$(mktemp)
busy=()
trap 'kill "${busy[@]}" 2>/dev/null; rm -f "$log"' EXIT
trap 'exit 130' INT TERM
for _ in $(seq "${LOOPS:-20}"); do
  while :; do :; done &
  busy+=($!)
done
for ((run = 1; run <= times; run++)); do
  began=$SECONDS
  export TEST_SEED=$((RANDOM * 32768 + RANDOM))
  if ! vitest run "$@" >"$log" 2>&1; then
    cat "$log"
    echo "FAILED: run $run of $times, with TEST_SEED=$TEST_SEED"
    exit 1
  fi
  echo "run $run of $times: passed in $((SECONDS - began)) s"
done
