#!/bin/sh
# venv.sh FOLDER REQUIREMENTS - print a Python that has what the file REQUIREMENTS lists.
#
# The system's own if it has all of it, in the versions named; else that of a virtual
# environment in FOLDER, which is made with pip if it is not there yet. Fails, with a reason
# on standard error, without Python, venv or network.
set -eu

has() { # PYTHON: is everything there, in the version named?
    "$1" - "$2" 2>/dev/null <<'PYTHON'
import sys
from importlib.metadata import version
for line in open(sys.argv[1]):
    name, _, wanted = line.strip().partition("==")
    if name and not name.startswith("#") and version(name) != (wanted or version(name)):
        sys.exit(1)
PYTHON
}

own=$1/bin/python
command -v python3 >/dev/null || { echo "there is no python3" >&2; exit 1; }
if has python3 "$2"; then
    echo python3
elif has "$own" "$2" || { python3 -m venv "$1" >&2 &&
    "$own" -m pip install --quiet --disable-pip-version-check --retries 1 \
        -r "$2" >&2; }; then
    echo "$own"
else
    echo "there is no Python with what $2 lists, and pip cannot install it" >&2
    exit 1
fi
