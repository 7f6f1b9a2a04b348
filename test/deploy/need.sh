# shellcheck shell=bash
# need COMMAND PACKAGE: installs the Debian package of a command that is not there; where that is impossible, ends
# with 77, which run.sh reports as skipped.
need() {
  command -v "$1" >/dev/null && return
  { [ "$(id -u)" = 0 ] && apt-get -qq update && apt-get -qq -o DPkg::Lock::Timeout=120 install --no-install-recommends "$2"; } >/dev/null 2>&1
  command -v "$1" >/dev/null && return
  echo "$1 is not installed, and the Debian package $2 can't be had here"
  exit 77
}

# need_root: for what only root can set up, such as mounts.
need_root() {
  unshare --mount true 2>/dev/null && return
  echo "needs root, to make mounts"
  exit 77
}
