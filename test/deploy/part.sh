# shellcheck shell=bash
# part NAME COMMAND…: runs one part of a script that has a folder $scratch. One that ends with 77 is reported as
# skipped, for the reason in its last line; one that fails shows its output and sets $failed.
failed=0
part() {
  local name=$1 began=$SECONDS
  shift
  echo "── $name"
  "$@" >"$scratch/log" 2>&1
  case $? in
    0) echo "   ok ($((SECONDS - began)) s)" ;;
    77) echo "   skipped: $(tail -1 "$scratch/log")" ;;
    *) cat "$scratch/log"; echo "   FAILED: $name"; failed=1 ;;
  esac
}
