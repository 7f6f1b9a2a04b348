"""Runs the code of docs/bi whose output the pages show, and compares it. A block is run when a block of text follows it.

try_pages.py DATA SCRATCH [--write]: a data directory, and a folder to work in; --write writes the pages' outputs again.
A page whose program this machine does not have is skipped. JDBC_DRIVERS names a folder with the drivers' jars.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

data, scratch = map(Path, sys.argv[1:3])
write = sys.argv[3:] == ["--write"]
folder = scratch / "pages"
folder.mkdir()
shutil.copytree(data, folder / "data", symlinks=True)
drivers = os.environ.get("JDBC_DRIVERS", "")

# How a language is run, and what it needs on this machine.
PROGRAMS = {
    "python": ([sys.executable], "block.py", True),
    "sh": (["bash", "-euo", "pipefail"], "block.sh", True),
    "r": (["Rscript", "--vanilla"], "block.R", shutil.which("Rscript")),
    "java": (["java", "-cp", f"{drivers}/*"], "Block.java", drivers and shutil.which("java")),
}
PACKAGES = {"spark.md": "pyspark"}
BODY = r"((?:(?!```).*\n)*)"
BLOCK = re.compile(rf"^```(python|sh|r|java)\n{BODY}```\n\n```text\n{BODY}```$", re.MULTILINE)

environment = os.environ | {
    "PATH": f"{Path('bin').resolve()}:{Path(sys.executable).parent}:{os.environ['PATH']}",
    "TZ": "America/New_York",  # Nothing a page shows depends on the reader's time zone.
}
failed = False
for page in sorted(Path("docs/bi").glob("*.md")):
    text = page.read_text()
    for block in BLOCK.finditer(text):
        language, code, expected = block.groups()
        command, name, is_there = PROGRAMS[language]
        package = PACKAGES.get(page.name)
        if not is_there or (package and not importlib.util.find_spec(package)):
            print(f"{page}: skipped, needs {package or command[0]}")
            continue
        (folder / name).write_text(code)
        done = subprocess.run([*command, name], cwd=folder, env=environment, text=True, capture_output=True)
        found = "\n".join(line.rstrip() for line in done.stdout.rstrip().split("\n")) + "\n"
        if done.returncode != 0 or (found != expected and not write):
            failed = True
            print(f"{page}: the block shows\n{found}{done.stderr}")
        elif write:
            text = text.replace(block[0], block[0].replace(f"```text\n{expected}```", f"```text\n{found}```"))
        else:
            print(f"{page}: {language} as shown")
    if write:
        page.write_text(text)
sys.exit(1 if failed else 0)
