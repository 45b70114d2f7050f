#!/bin/sh
# draw.sh BUILD - write docs/reproduction.md and its figures: `make figures`.
#
# Python has the matplotlib of requirements.txt, so that the same numbers give the same
# files: the system's own if it is that version, else one in a virtual environment below
# BUILD. Without network any matplotlib will do.
set -eu

plots=$(cd "$(dirname "$0")" && pwd)
root=$plots/../..
results=$root/bench/results/reproduction
wanted=$(sed -n 's/^matplotlib==//p' "$plots/requirements.txt")
own=$1/plots/bin/python
export PYTHONDONTWRITEBYTECODE=1

version() {
    "$1" -c 'import matplotlib; print(matplotlib.__version__)' 2>/dev/null || true
}

if [ "$(version python3)" = "$wanted" ]; then
    python=python3
elif [ "$(version "$own")" = "$wanted" ] || { python3 -m venv "$1/plots" &&
    "$own" -m pip install --quiet --disable-pip-version-check -r "$plots/requirements.txt"; }; then
    python=$own
elif [ -n "$(version python3)" ]; then
    echo "Drawing with matplotlib $(version python3) instead of $wanted" >&2
    python=python3
else
    echo "To draw the figures, please install Python 3 and matplotlib $wanted." >&2
    exit 1
fi
"$python" "$plots/counts.py" "$1/cli/multiway" "$results"
"$python" "$plots/figures.py" "$results" "$root/docs/figures"
"$python" "$plots/reproduction.py" "$results" "$root/docs/reproduction.md"
