#!/usr/bin/env bash
# install.sh FOLDER REQUIREMENTS: Python packages in a virtual environment of their own.
set -euo pipefail
. test/deploy/need.sh
need python3 python3-venv
python3 -c "import ensurepip" 2>/dev/null || apt-get -qq install --no-install-recommends python3-venv >/dev/null
python3 -m venv "$1"
"$1/bin/pip" install --quiet --disable-pip-version-check uv==0.13.9
"$1/bin/uv" pip install --quiet --python "$1/bin/python" --requirement "$2"
