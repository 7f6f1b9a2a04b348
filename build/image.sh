# shellcheck shell=bash
# Sourced, with a folder $scratch: builds localhost/vaulthouse with buildah. No registry of images is needed: stand-ins made of the
# same Debian's packages have the names of the Dockerfile's bases. Every time in the image is $SOURCE_DATE_EPOCH. Needs root,
# buildah and mmdebstrap.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
. build/buildah.sh

base() { sed -n "s/^FROM \($1:[^ ]*\).*/docker.io\/library\/\1/p" deploy/docker/Dockerfile; }
debian=$(buildah from scratch)
system=node_modules/.deploy/trixie.tar
mkdir -p "$(dirname "$system")"
[ -e "$system" ] || mmdebstrap --quiet --variant=essential --include=libstdc++6 trixie "$system" || {
  rm -f "$system"
  echo "no Debian mirror can be reached from here"
  exit 77
}
buildah add --quiet "$debian" "$system" /
buildah commit --quiet --timestamp "$SOURCE_DATE_EPOCH" "$debian" "$(base debian)"
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

buildah build --quiet --pull-never --format docker --timestamp "$SOURCE_DATE_EPOCH" --file deploy/docker/Dockerfile --tag vaulthouse .
