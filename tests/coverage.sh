#!/usr/bin/env bash
# coverage.sh TREE [JOBS] - which lines and branches of TREE/src its tests run.
#
# Builds a copy without CUDA, with gcov's counters, runs all tests once, and prints
#   lines N % branches N %
# A source line may be compiled many times: kernels once for each width and geometry, the
# CPU's loops for each width and instruction set. A line is covered if one of these ran it.
# Branches are told apart by their number in the line; branch i is covered if one of the
# compilations that have it took it. Needs cmake, ninja or make, gcc with gcov, python3.
set -eu

tree=$(realpath "$1") jobs=${2:-$(nproc)}
work=$(mktemp -d "${TMPDIR:-/tmp}/coverage.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
find "$tree" -mindepth 1 -maxdepth 1 ! -name 'build*' ! -name .git -exec cp -R {} "$work/tree" +
generator=$(command -v ninja >/dev/null && echo Ninja || echo 'Unix Makefiles')
cmake -G "$generator" -S "$work/tree" -B "$work/build" -DMW_CUDA=OFF \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS='--coverage -O1' >"$work/log"
cmake --build "$work/build" -j "$jobs" >"$work/log" 2>&1 || { tail "$work/log" && exit 1; }
export CUDA_VISIBLE_DEVICES=-1 # the same lines, GPU or not
ctest --test-dir "$work/build" -j "$jobs" --timeout 1500 >"$work/log" 2>&1 ||
    sed -n '/tests FAILED:/,$s/^\t/# failed: /p' "$work/log"
cd "$work/build" && find . -name '*.gcno' -exec gcov -t -b -j {} + 2>/dev/null |
    python3 -c '
import json, sys
lines, branches, root = {}, {}, sys.argv[1]
for record in sys.stdin:
    for file in json.loads(record)["files"]:
        for line in file["lines"] if file["file"].startswith(root) else []:
            at = file["file"], line["line_number"]
            lines[at] = lines.get(at, 0) + line["count"]
            for i, branch in enumerate(line["branches"]):
                branches[at, i] = branches.get((at, i), 0) + branch["count"]
for what, counts in ("lines", lines), ("branches", branches):
    covered = sum(map(bool, counts.values()))
    print(what, round(100 * covered / len(counts), 2), "%", end=" ")
    print(f"# {what}: {covered} of {len(counts)}", file=sys.stderr)
print()' "$work/tree/src/"
