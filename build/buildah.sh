# shellcheck shell=bash
# Sourced, with a folder $scratch in which `buildah` keeps its images then. Needs root and buildah.
export BUILDAH_ISOLATION=chroot
# Layers on top of each other where the kernel lets us, else copies.
mkdir -p "$scratch"/overlay/{lower,upper,work,merged}
driver=vfs
unshare --mount mount -t overlay overlay -o "lowerdir=$scratch/overlay/lower,upperdir=$scratch/overlay/upper,workdir=$scratch/overlay/work" \
  "$scratch/overlay/merged" 2>/dev/null && driver=overlay
buildah() { command buildah --root "$scratch/images" --runroot "$scratch/containers" --storage-driver "$driver" "$@"; }
