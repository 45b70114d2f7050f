#!/bin/sh
# demo.sh COMMAND - sort 16 million keys on the best device there is, check the
# result, then count bank conflicts and memory transactions in the simulator.
set -eu

PATH=$(cd "$(dirname "$1")" && pwd):$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
cd "$folder"

show() {
    echo
    echo "\$ $*"
    "$@"
}

show multiway gen --type i32 --count 16M --shape random --seed 7 -o keys.bin
show multiway sort --type i32 --device auto --stats -o sorted.bin keys.bin
show multiway check --type i32 --same-as keys.bin sorted.bin
show multiway count --type i32 --count 100000 --shape random --engine heap --ways 8
