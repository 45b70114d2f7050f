#!/usr/bin/env bash
# coverage.sh TREE [JOBS] - which lines and branches of TREE/src its tests run.
#
# Builds a copy with gcov's counters, runs the tests once, but for random ones and those
# that need nvcc or NVRTC, and prints `lines N % branches N %`.
#
# A source line may be compiled many times: kernels once for each width and geometry, the
# CPU's loops for each width and instruction set. A line is covered if one of these ran it.
# Branches are told apart by their number in the line; branch i is covered if one of the
# compilations that have it took it.
set -eu

tree=$(realpath "$1") jobs=${2:-$(nproc)}
work=$(mktemp -d "${TMPDIR:-/tmp}/coverage.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
find "$tree" -mindepth 1 -maxdepth 1 ! -name 'build*' ! -name .git \
    -exec cp -R -t "$work/tree" {} +
cmake -G "$(command -v ninja >/dev/null && echo Ninja || echo 'Unix Makefiles')" \
    -S "$work/tree" -B "$work/build" -DMW_CUDA=OFF -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS='--coverage -O1' &>"$work/log"
cmake --build "$work/build" -j "$jobs" &>"$work/log" || { tail "$work/log" && exit 1; }
export CUDA_VISIBLE_DEVICES=-1 # the same lines, GPU or not
ctest --test-dir "$work/build" -j "$jobs" --timeout 1500 \
    -E '^(property|kernels_compile|rivals_compile)$' &>"$work/log" ||
    sed -n '/tests FAILED:/,$s/^\t/# failed: /p' "$work/log"
cd "$work/build"
find . -name '*.gcno' -exec gcov -t -b -j {} + 2>/dev/null | python3 -c '
import json, sys
lines, branches = {}, {}
for record in sys.stdin:
    for file in json.loads(record)["files"]:
        for line in file["lines"] if file["file"].startswith(sys.argv[1]) else []:
            at = file["file"], line["line_number"]
            lines[at] = lines.get(at) or line["count"] > 0
            for i, branch in enumerate(line["branches"]):
                branches[at, i] = branches.get((at, i)) or branch["count"] > 0
print(*(f"{what} {100 * sum(ran.values()) / len(ran):.2f} %"
        for what, ran in (("lines", lines), ("branches", branches))))' "$work/tree/src/"
