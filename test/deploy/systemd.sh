#!/usr/bin/env bash
# systemd.sh TOOLS SCRATCH: the units are valid, hardened, and vaulthouse works within what they allow.
set -euo pipefail
. test/deploy/need.sh
tools=$1 units=$2/units
need systemd-analyze systemd

# What the services allow is the same.
hardening() { sed -n '/^User=/,/^SystemCallFilter=~/p' "$1"; }
for unit in sync worker@; do
  diff <(hardening deploy/systemd/vaulthouse-schedule.service) <(hardening "deploy/systemd/vaulthouse-$unit.service")
done

mkdir "$units"
cp deploy/systemd/*.service deploy/systemd/*.timer "$units"
sed -i "s|/usr/local/bin/vaulthouse|$PWD/bin/vaulthouse|" "$units"/*.service
systemd-analyze verify --man=no "$units"/*
for unit in "$units"/*.service; do
  systemd-analyze security --no-pager --offline=true --threshold=15 "$unit" | grep -v "^✓"
done
systemd-sysusers --dry-run "$PWD"/deploy/systemd/vaulthouse.sysusers

# Without systemd as process 1 no unit starts, so the same walls are put up by hand.
need_root
data=$2/state
mkdir "$data"
unshare --mount --pid --fork bash -euc '
  mount -t proc -o subset=pid,hidepid=invisible proc /proc
  mount --bind / / && mount -o remount,bind,ro /
  mount --bind "$1" "$1" && mount -o remount,bind,rw "$1"
  cd "$3"
  export VAULTHOUSE_DATA_DIR=$1
  exec setpriv --no-new-privs --bounding-set -all --inh-caps -all \
    "$2/python" test/deploy/confined.py deploy/systemd/vaulthouse-sync.service vaulthouse sync --no-progress
' bash "$data" "$tools" "$PWD"
