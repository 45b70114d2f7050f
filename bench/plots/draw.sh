#!/bin/sh
# draw.sh BUILD - write docs/reproduction.md and its figures: `make figures`.
#
# Python has the matplotlib of requirements.txt, so that the same numbers give the same
# files. Without network any matplotlib will do.
set -eu

plots=$(cd "$(dirname "$0")" && pwd)
root=$plots/../..
results=$root/bench/results/reproduction
export PYTHONDONTWRITEBYTECODE=1

if ! python=$(sh "$root/cmake/venv.sh" "$1/plots" "$plots/requirements.txt"); then
    python=python3
    "$python" -c 'import matplotlib' || {
        echo "To draw the figures, please install Python 3 and $(cat "$plots/requirements.txt")." >&2
        exit 1
    }
    echo "Drawing with another matplotlib" >&2
fi
"$python" "$plots/counts.py" "$1/cli/multiway" "$results"
"$python" "$plots/figures.py" "$results" "$root/docs/figures"
"$python" "$plots/reproduction.py" "$results" "$root/docs/reproduction.md"
