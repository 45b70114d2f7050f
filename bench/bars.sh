#!/usr/bin/env bash
# bars.sh NAME - measure the bars of one piece of work again: bar, figure, verdict.
#
# NAME is `house`: the order of the code itself; `anything`: pairs, records and argsort;
# `merge`: lists, selection and segments; `cpu`: the CPU beside its rivals; `python`: the
# Python package; `files`: files larger than memory; `mpi`: sorting across processes; or
# `gpu`: keys on a GPU.
# Bars that need a GPU, 16 cores or the older version are skipped where these are missing.
# Takes up to 25 minutes.
#
#   OLD    a tree of version 0.1 (commit babac53) to compare with; without it, git has it
#   BUILD  a build folder with images; for `house`, with the rivals built (build)
#   ONLY   a pattern of bars to run, such as 'house-4*' or 'table'
#   KEEP   a folder for the tables that were measured
set -u

tree=$(cd "$(dirname "$0")/.." && pwd)
cd "$tree" || exit 2
build=$(realpath -m "${BUILD:-build}")
work=$(mktemp -d "${TMPDIR:-/tmp}/bars.XXXXXX")
trap 'rm -rf "$work"' EXIT
[ -z "${KEEP:-}" ] || trap 'mkdir -p "$KEEP" && cp "$work"/*.tsv "$KEEP"
    cp "$work"/*/*.tsv "$KEEP" 2>/dev/null
    rm -rf "$work"' EXIT
failed=0

tell() { # BAR FIGURE VERDICT
    printf '%-9s %-66s %s\n' "$1" "$2" "$3"
    [ "$3" != missed ] || failed=1
}

judge() { # BAR FIGURE CONDITION...: the verdict is what the condition says
    local bar=$1 figure=$2
    shift 2
    if "$@"; then tell "$bar" "$figure" holds; else tell "$bar" "$figure" missed; fi
}

wanted() { # BAR
    # shellcheck disable=SC2254 # a pattern
    case $1 in ${ONLY:-*}) return 0 ;; esac
    return 1
}

less() { # A B: numbers, A <= B
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'
}

lines() { # FOLDER...: of what git tracks there, or of all files where there is no git
    { git ls-files "$@" 2>/dev/null || find "$@" -type f; } |
        grep -vE '^bench/(results|rivals)/|__pycache__' | xargs cat | wc -l
}

old_tree() { # the older version's tree, in $old; 1 if there is none
    old=${OLD:-$work/old}
    [ -d "$old" ] && return 0
    mkdir "$old" && git archive babac53 2>/dev/null | tar x -C "$old" 2>/dev/null
    [ -f "$old/CMakeLists.txt" ]
}

build_tree() { # TREE FOLDER OPTION...: cmake, quietly
    local from=$1 to=$2
    shift 2
    cmake -S "$from" -B "$to" "$@" >"$work/log" 2>&1 &&
        cmake --build "$to" -j "$(nproc)" >>"$work/log" 2>&1 || {
        tail -n 5 "$work/log" >&2
        return 1
    }
}

house_words() {
    local texts odd
    texts=$(grep -rnE 'str(n?cmp|str)\([^)]*line(s\[[^]]*\])?(->|\.)text' cli bench tests |
        grep -vc 'bars.sh')
    judge house-1 "$texts places recognise code by its source text (none)" [ "$texts" = 0 ]
    odd=$(grep -rniE 'second cache|first cache|behind the|struct words' include src docs cli \
        README.md --include='*' --exclude-dir=figures | wc -l)
    judge house-1 "$odd phrases of the list of odd ones (none)" [ "$odd" = 0 ]
}

house_lines() {
    local around tests header
    around=$(lines cli bench kit) tests=$(lines tests) header=$(wc -l <include/multiway.h)
    judge house-2 "cli + bench + kit: $around lines (9500)" [ "$around" -le 9500 ]
    judge house-2 "tests: $tests lines (14500)" [ "$tests" -le 14500 ]
    judge house-2 "multiway.h: $header lines (330)" [ "$header" -le 330 ]
}

house_coverage() {
    local now was
    old_tree || { tell house-3 "coverage and planted faults: no older version" skipped; return; }
    [ "$(nproc)" -ge 8 ] || {
        tell house-3 "coverage and planted faults: hours on $(nproc) cores" skipped
        return
    }
    now=$(bash tests/coverage.sh "$tree" 2>/dev/null | tail -n 1)
    was=$(bash tests/coverage.sh "$old" 2>/dev/null | tail -n 1)
    judge house-3 "coverage: $now (was $was)" awk -v a="$now" -v b="$was" 'BEGIN {
        split(a, x); split(b, y); exit !(x[2] >= y[2] && x[5] >= y[5]) }'
    bash tests/mutants.sh "$old" tests/mutants.tsv >"$work/before" 2>/dev/null
    bash tests/mutants.sh "$tree" tests/mutants.tsv >"$work/after" 2>/dev/null
    now=$(awk -F'\t' 'NR == FNR { was[$1] = $2; next }
        was[$1] == "caught" && $2 != "caught" { n++ } END { print n + 0 }' \
        "$work/before" "$work/after")
    judge house-3 "planted faults: $(grep -c 'caught' "$work/before") caught before, $(
        grep -c 'caught' "$work/after") now, $now lost (none)" [ "$now" = 0 ]
}

bench_ratio() { # RIVAL RUNS TRIALS OPTION...: sets cases, and the least ratio to ours
    local rival=$1 runs=$2 trials=$3 # in each case the median of the runs' ratios counts
    shift 3
    cases=0 least=0
    for ((run = 1; run <= runs; run++)); do
        "$build/cli/multiway" bench --device cuda --with "tile,$rival" --trials "$trials" \
            --commit "${COMMIT:-unknown}" "$@" --tsv "$work/$rival-$run.tsv" \
            >"$work/log" 2>&1 || { tail -n 3 "$work/log" >&2; return; }
    done
    read -r cases least < <(awk -F'\t' -v rival="$rival" '
        /^#/ { next }
        $1 == "type" { for (i = 1; i <= NF; i++) name[$i] = i; next }
        $name["contestant"] == rival { print $1, $2, $3, $name["ratio"] }' \
        "$work/$rival"-*.tsv | sort -k1,3 -k4,4g | awk -v runs="$runs" '
        NR % runs == int((runs + 1) / 2) % runs { n++; if (!least || $4 < least) least = $4 }
        END { print n + 0, least + 0 }')
}

old_beside_new() { # BAR: keys only, both builds in one process
    local least cases
    old_tree && build_tree "$old" "$work/old-build" -DMW_ARCHITECTURES=90 || {
        tell "$1" "old beside new: no build of the older version" skipped
        return
    }
    MULTIWAY_OLD=$work/old-build/src/libmultiway.so bench_ratio old 5 500 \
        --types i32,i64 --shapes random --counts 2^12,2^16,2^20,2^22,2^24,2^26,2^28
    judge "$1" "old / new, $cases cases, 2^12 to 2^28: at least $least (0.99)" \
        less 0.99 "$least"
}

house_speed() {
    local least cases
    old_beside_new house-4
    bench_ratio cub-merge 1 40 --types all --shapes random,sorted,organ,blocks,swaps:1000,few \
        --counts 1031,2053,4099,8209,10007,50021,100003,300007,1000003,16777259
    judge house-4 "CUB merge sort / ours, $cases cases: at least $least (1)" less 1 "$least"
}

house_calibration() { # the simulator's wavefronts against Nsight Compute's
    local pipe instruction
    command -v ncu >/dev/null || { tell house-4 "calibration: no ncu" skipped; return; }
    cmake --build "$build" --target calibrate -j "$(nproc)" >"$work/log" 2>&1 &&
        python3 bench/calibrate.py measure "$build" "$work/calibration" >"$work/log" 2>&1 ||
        { tail -n 3 "$work/log" >&2; return; }
    read -r pipe instruction < <(awk -F'\t' '
        { off = $9 < 0 ? -$9 : $9 }
        $6 ~ /^shared_.*_wavefronts$/ && off > pipe { pipe = off }
        $6 ~ /_by_instruction$/ && off > instruction { instruction = off }
        END { print pipe + 0, instruction + 0 }' "$work/calibration/calibration.tsv")
    judge house-4 "wavefronts off by at most $pipe % by the pipe's counters (2.5)" less "$pipe" 2.5
    judge house-4 "and $instruction % by instruction (0.3)" less "$instruction" 0.3
}

house_first_use() {
    local cold warm open
    build_tree "$tree" "$work/bare" -DMW_CUDA=OFF &&
        cmake --build "$work/bare" --target multiway_first_use >/dev/null 2>&1 || return
    cold=$("$work/bare/bench/multiway_first_use" cuda 2^20 "$work/cache" | awk 'NR == 2 { print $1 + $2 }')
    read -r open warm < <("$work/bare/bench/multiway_first_use" cuda 2^20 "$work/cache" |
        awk 'NR == 2 { print $1, $2 }')
    judge house-5 "first sort, compiled by NVRTC: $cold ms, device opened (2000)" less "$cold" 2000
    judge house-5 "first sort, from the disk cache: $warm ms beyond opening, $open (30)" \
        less "$warm" 30
}

house_fresh() {
    local begin seconds
    git clone -q "$tree" "$work/clone" 2>/dev/null || {
        tell house-6 "fresh clone: no git here" skipped
        return
    }
    begin=$(date +%s)
    make -C "$work/clone" test >"$work/log" 2>&1
    seconds=$(($(date +%s) - begin))
    judge house-6 "make test of a fresh clone, $(nproc) cores: $seconds s, $(
        grep -E '^[0-9]+ passed' "$work/log" | tail -n 1) (300 s)" [ "$seconds" -le 300 ]
    make -C "$work/clone" demo >"$work/log" 2>&1
    judge house-6 "make demo of a fresh clone: exit status $?" [ $? = 0 ]
}

house() {
    wanted house-1 && house_words
    wanted house-2 && house_lines
    wanted house-6 && house_fresh
    if nvidia-smi -L >/dev/null 2>&1; then
        wanted house-4 && house_speed
        wanted house-4 && house_calibration
        wanted house-5 && house_first_use
    else
        wanted house-4 && tell house-4 "speed beside 0.1 and CUB: no GPU" skipped
        wanted house-5 && tell house-5 "first sort without images: no GPU" skipped
    fi
    wanted house-3 && house_coverage
}

# shellcheck source=bench/bars_anything.sh
. "$tree/bench/bars_anything.sh"
# shellcheck source=bench/bars_merge.sh
. "$tree/bench/bars_merge.sh"
# shellcheck source=bench/bars_python.sh
. "$tree/bench/bars_python.sh"
# shellcheck source=bench/bars_files.sh
. "$tree/bench/bars_files.sh"
# shellcheck source=bench/bars_mpi.sh
. "$tree/bench/bars_mpi.sh"
# shellcheck source=bench/bars_cpu.sh
. "$tree/bench/bars_cpu.sh"
# shellcheck source=bench/bars_gpu.sh
. "$tree/bench/bars_gpu.sh"

case ${1:-} in
house) house ;;
anything) anything ;;
merge) merge ;;
cpu) cpu ;;
python) python ;;
files) files ;;
mpi) mpi ;;
gpu) gpu ;;
*)
    echo "usage: bars.sh house | anything | merge | cpu | python | files | mpi | gpu" >&2
    exit 2
    ;;
esac
exit $failed
