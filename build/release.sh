#!/usr/bin/env bash
# release.sh FOLDER: everything that a release consists of, up to the push: the package, the image, what both bring, notes, and
# checksums of them. Twice the same commit makes the same bytes. IMAGE=off leaves the image out.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath --canonicalize-missing "${1:?a folder}")
version=$(node -p 'require("./package.json").version')
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C
rm -rf "$folder"
mkdir -p "$folder"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

npm pack --silent --pack-destination "$folder" >/dev/null
npm sbom --package-lock-only --sbom-format cyclonedx | node build/sbom.ts "$SOURCE_DATE_EPOCH" >"$folder/vaulthouse-$version.cdx.json"
node build/notes.ts >"$folder/release-notes.md"

why=""
[ "${IMAGE:-on}" = on ] || why="IMAGE=off"
for command in buildah mmdebstrap; do
  command -v "$command" >/dev/null || why="Debian's package $command is not installed"
done
unshare --mount true 2>/dev/null || why="it needs root, to make mounts"
if [ -z "$why" ]; then
  (
    . build/image.sh
    buildah push --quiet localhost/vaulthouse "docker-archive:$scratch/image.tar:vaulthouse:$version"
    buildah rmi --all --force >/dev/null
  ) >"$scratch/log" 2>&1 || { code=$?; cat "$scratch/log"; exit $code; }
  mkdir "$scratch/image"
  tar --extract --directory "$scratch/image" --file "$scratch/image.tar"
  node build/imageConfig.ts "$scratch/image" "vaulthouse:$version" >"$scratch/files"
  tar --create --directory "$scratch/image" --files-from "$scratch/files" --format=ustar --mode=0644 --mtime="@$SOURCE_DATE_EPOCH" \
    --owner=0 --group=0 --numeric-owner | gzip --no-name >"$folder/vaulthouse-$version-image-$(dpkg --print-architecture).tar.gz"
else
  echo "The image is left out: $why."
fi

(cd "$folder" && sha256sum -- * >"$scratch/sums" && mv "$scratch/sums" SHA256SUMS)
echo "Made in $folder:"
(cd "$folder" && du -h -- *)
