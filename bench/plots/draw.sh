#!/bin/sh
# draw.sh BUILD - write docs/reproduction.md and its figures: `make figures`.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
results=$root/bench/results/reproduction
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

python=$(sh "$root/bench/plots/python.sh" "$1")
"$python" "$root/bench/plots/counts.py" "$1/cli/multiway" "$results"
"$python" "$root/bench/plots/figures.py" "$results" "$root/docs/figures"
"$python" "$root/bench/plots/reproduction.py" "$results" "$root/docs/reproduction.md"
