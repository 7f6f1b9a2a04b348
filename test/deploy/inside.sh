#!/usr/bin/env bash
# inside.sh ROOT SCRATCH: in namespaces of its own, runs what the image declares on its file system, read-only but for
# the volume and /tmp. The image's own simulator is the service.
set -euo pipefail
root=$1 scratch=$2
ip link set lo up
install --directory --mode=0700 --owner=10001 --group=10001 "$scratch/volume"
mount --bind "$root" "$root"
mount --bind "$scratch/volume" "$root/data"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -o remount,bind,ro "$root"

mapfile -t entrypoint <"$scratch/entrypoint"
mapfile -t command <"$scratch/command"
mapfile -t healthcheck <"$scratch/healthcheck"
mapfile -t environment <"$scratch/environment"
inside() {
  exec chroot "$root" setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs --bounding-set -all \
    env --ignore-environment --chdir=/etc/vaulthouse "${environment[@]}" VAULTHOUSE_BASE_URL=http://127.0.0.1:8080 "$@"
}

(inside touch /etc/vaulthouse/file 2>/dev/null) && { echo "The file system is not read-only."; exit 1; }
(inside sh -c '[ "$(id -un)" = vaulthouse ] && touch "$HOME/file" && rm "$HOME/file"')
(inside "${entrypoint[@]}" simulate --vaults 2 --days 5) >/dev/null &
(inside "${entrypoint[@]}" "${command[@]}") &
scheduler=$!
for _ in $(seq 1500); do
  (inside "${healthcheck[@]}") && break
  sleep 0.2
done
(inside "${healthcheck[@]}")
for _ in $(seq 1500); do
  [ -e "$scratch/volume/published/vaulthouse.duckdb" ] && break
  sleep 0.2
done
(inside "${entrypoint[@]}" query "select count(*) from core.ratio_history")
kill -TERM "$scheduler"
wait "$scheduler"
(inside "${healthcheck[@]}") && { echo "The health check succeeds without a scheduler."; exit 1; }
exit 0
