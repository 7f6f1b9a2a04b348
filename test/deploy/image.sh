#!/usr/bin/env bash
# image.sh SCRATCH: makes a release, loads its image from the file and runs it as its users do: not as root, on a read-only file
# system, with one volume and no network.
set -euo pipefail
. test/deploy/need.sh
need buildah buildah
need mmdebstrap mmdebstrap
need_root
scratch=$1
SOURCE_DATE_EPOCH=1 build/release.sh "$scratch/release"
(cd "$scratch/release" && sha256sum --check --quiet SHA256SUMS)
. build/buildah.sh
trap 'buildah umount --all >/dev/null' EXIT

# Debian's buildah does not unpack it itself.
gunzip --stdout "$scratch"/release/vaulthouse-*-image-*.tar.gz >"$scratch/image.tar"
image=$(buildah pull --quiet "docker-archive:$scratch/image.tar")
container=$(buildah from --pull-never "$image")
root=$(buildah mount "$container")
du -sm "$root"

declared() { buildah inspect --type image --format "{{range .Docker.Config.$1}}{{println .}}{{end}}" "$image"; }
declared Entrypoint >"$scratch/entrypoint"
declared Cmd >"$scratch/command"
node --eval 'const { services } = require("yaml").parse(require("fs").readFileSync("deploy/docker/compose.yaml", "utf8"))
console.log(services.vaulthouse.healthcheck.test.slice(1).join("\n"))' >"$scratch/healthcheck"
declared Env >"$scratch/environment"
[ "$(buildah inspect --type image --format '{{.Docker.Config.User}}' "$image")" = 10001:10001 ]
unshare --net --mount --pid --fork test/deploy/inside.sh "$root" "$scratch"
