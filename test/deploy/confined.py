"""confined.py UNIT COMMAND…: becomes the command under the unit's system call filter, as systemd would start it."""

import os
import subprocess
import sys
from pathlib import Path

import pyseccomp


def calls(name: str) -> set[str]:
    """The system calls of a group such as @system-service; of a call, itself."""
    if not name.startswith("@"):
        return {name}
    lines = subprocess.run(["systemd-analyze", "syscall-filter", name], stdout=subprocess.PIPE, text=True, check=True)
    members = (line.strip() for line in lines.stdout.splitlines()[1:])
    return set().union(*(calls(member) for member in members if member and not member.startswith("#")))


allowed = calls("@default")
for line in Path(sys.argv[1]).read_text().splitlines():
    if line.startswith("SystemCallFilter="):
        names = line.removeprefix("SystemCallFilter=")
        listed = set().union(*(calls(name) for name in names.removeprefix("~").split()))
        allowed = allowed - listed if names.startswith("~") else allowed | listed
allowed |= calls("@default")  # systemd always allows these

rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(1))
for call in sorted(allowed):
    try:
        rules.add_rule(pyseccomp.ALLOW, call)
    except OSError:
        pass  # not a call of this architecture
rules.load()
os.execvp(sys.argv[2], sys.argv[2:])
