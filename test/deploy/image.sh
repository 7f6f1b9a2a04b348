#!/usr/bin/env bash
# image.sh SCRATCH: builds the image and runs it as its users do: not as root, on a read-only file system, with one
# volume and no network. No registry of images is needed: stand-ins made of the same Debian have the names of the bases.
set -euo pipefail
. test/deploy/need.sh
need buildah buildah
need mmdebstrap mmdebstrap
need_root
scratch=$1
# Layers on top of each other where the kernel lets us, else copies.
mkdir -p "$scratch"/overlay/{lower,upper,work,merged}
driver=vfs
unshare --mount mount -t overlay overlay -o "lowerdir=$scratch/overlay/lower,upperdir=$scratch/overlay/upper,workdir=$scratch/overlay/work" \
  "$scratch/overlay/merged" 2>/dev/null && driver=overlay
buildah() { command buildah --root "$scratch/images" --runroot "$scratch/containers" --storage-driver "$driver" "$@"; }
export BUILDAH_ISOLATION=chroot
trap 'buildah umount --all >/dev/null' EXIT

base() { sed -n "s/^FROM \($1:[^ ]*\).*/docker.io\/library\/\1/p" deploy/docker/Dockerfile; }
debian=$(buildah from scratch)
system=node_modules/.deploy/trixie.tar
[ -e "$system" ] || mmdebstrap --quiet --variant=essential --include=libstdc++6 trixie "$system" || {
  rm -f "$system"
  echo "no Debian mirror can be reached from here"
  exit 77
}
buildah add --quiet "$debian" "$system" /
buildah commit --quiet "$debian" "$(base debian)"
npm=$(cd "$(dirname "$(readlink -f "$(command -v npm)")")/.." && pwd)
node=$(find node_modules/node-linux-*/bin/node)
buildah copy --quiet "$debian" "$node" /usr/local/bin/node
buildah copy --quiet "$debian" "$npm" /usr/local/lib/node_modules/npm
buildah run "$debian" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
# Where this machine reaches the registry through an authority of its own.
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  buildah copy --quiet "$debian" "$NODE_EXTRA_CA_CERTS" /etc/authority.pem
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/authority.pem "$debian"
fi
buildah commit --quiet --rm "$debian" "$(base node)"

buildah build --quiet --pull-never --format docker --file deploy/docker/Dockerfile --tag vaulthouse .
container=$(buildah from --pull-never localhost/vaulthouse)
root=$(buildah mount "$container")
du -sm "$root"

declared() { buildah inspect --type image --format "{{range .Docker.Config.$1}}{{println .}}{{end}}" localhost/vaulthouse; }
declared Entrypoint >"$scratch/entrypoint"
declared Cmd >"$scratch/command"
declared Healthcheck.Test | tail -n +2 >"$scratch/healthcheck"
declared Env >"$scratch/environment"
[ "$(buildah inspect --type image --format '{{.Docker.Config.User}}' localhost/vaulthouse)" = 10001:10001 ]
unshare --net --mount --pid --fork test/deploy/inside.sh "$root" "$scratch"
