#!/bin/sh
# reproduce.sh - measure on a GPU what docs/reproduction.md shows of the paper.
#
# `make reproduction` builds and runs this. It runs `multiway bench` once for each file of
# results; `make figures` draws them. Variables of the environment:
#
#   FIGURES   some of 1 3 2 4 5 6 shapes; 2 takes the best warps from 3, and 7 is drawn
#             from 4 and 6
#   RESULTS   the folder to write to
#   COMMIT    the commit, if this is not a clone
#   DEVICE, TRIALS, WITH (contestants of figures 1, 4, 5 and 6), BENCH_FLAGS (other
#   options of `multiway bench`), and the counts below
#
# A file grows as it is measured: an interrupted run leaves what it measured, and FIGURES
# selects the rest.
set -u

MULTIWAY=${MULTIWAY:-build/cli/multiway}
RESULTS=${RESULTS:-bench/results/reproduction}
FIGURES=${FIGURES:-1 3 2 4 5 6 shapes}
COMMIT=${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}
WITH=${WITH:-all}

LARGE=${LARGE:-100000000}     # figure 1, as in the paper
SWAPS=${SWAPS:-1000 10000 100000 1000000 10000000}
TUNED=${TUNED:-2^22}          # figure 3, as in the paper
WARPS=${WARPS:-60 100 200 300 400 600 800 1000 1500 2000 3000 4000 6000 8000 12000}
WAYS_COUNTS=${WAYS_COUNTS:-2^16,2^18,2^20,2^22,2^24,2^26,2^28}
COUNTS=${COUNTS:-2^14,2^16,2^18,2^19,2^20,2^21,2^22,2^23,2^24,2^25,2^26,2^27,2^28}
DOUBLINGS=${DOUBLINGS:-2 4 6 7 8 9 10 11 12 13 14 15}  # figure 6: 4352 keys, doubled
SHAPES_COUNT=${SHAPES_COUNT:-2^26}

trouble=0
began=$(date +%s)

# measure FILE OPTION...: one run of the bench, its figures to FILE.
measure() {
    file=$1
    shift
    # shellcheck disable=SC2086 # a list of options
    "$MULTIWAY" bench --device "${DEVICE:-cuda}" --trials "${TRIALS:-10}" \
        --commit "$COMMIT" --tsv "$file" ${BENCH_FLAGS:-} "$@" >"$log"
    status=$?
    if [ "$status" = 1 ]; then
        echo "$file: a result was WRONG" >&2
    elif [ "$status" != 0 ]; then
        tail -n 5 "$log" >&2
        echo "$file: status $status" >&2
    fi
    [ "$status" = 0 ] || trouble=1
    echo "$(($(date +%s) - began)) s: $file"
}

# join TEXT...: with commas between them.
join() {
    (IFS=,; echo "$*")
}

# The contestant with the least mean time in figure 3, by its ways.
best_of() {
    awk -F '\t' '$4 ~ /^heap/ && $12 == "yes" && (best == "" || $6 < best) {
            best = $6; name = $4
        } END { print name }' "fig3-ways-$1.tsv"
}

# Run time against sortedness; at the right end, inputs against CUB and modernGPU.
figure_1() {
    # shellcheck disable=SC2086 # a list of numbers
    measure fig1-sortedness.tsv --types i32 --counts "$LARGE" --with "$WITH" --shapes \
        "sorted,$(join $(printf 'swaps:%s ' $SWAPS)),permutation,conflict:17,256,conflict:11,128"
}

# Throughput over counts, each number of ways with the warps that were best for it.
figure_2() {
    with=
    [ -f fig3-ways-32.tsv ] || figure_3
    for ways in 2 4 8 16 32; do
        with=$with$(best_of "$ways"),tile:$ways,
    done
    measure fig2-ways.tsv --types i32 --counts "$WAYS_COUNTS" --shapes permutation \
        --with "${with%,}"
}

# Engine heap over warps, for each number of ways.
figure_3() {
    for ways in 2 4 8 16 32; do
        # shellcheck disable=SC2046,SC2086 # a list of numbers
        measure "fig3-ways-$ways.tsv" --types i32 --counts "$TUNED" --shapes permutation \
            --with "$(join $(printf "heap:$ways:%s " $WARPS))"
    done
}

# random NUMBER TYPE: throughput over counts.
random() {
    measure "fig$1-random-$2.tsv" --types "$2" --counts "$COUNTS" --shapes permutation \
        --with "$WITH" --phases-tsv "fig$1-launches-$2.tsv"
}

# conflict NAME TYPE COUNTS SHAPES: inputs that cause conflicts, and random ones.
conflict() {
    measure "fig6-conflict-$1.tsv" --types "$2" --with "$WITH" --counts "$3" --shapes "$4"
}

# Inputs against CUB, of 4-byte and of 8-byte keys; the worst pattern; modernGPU's,
# whose tiles are 128 threads of 11 keys: 15 is for compute capability 5.2 alone.
figure_6() {
    most=${DOUBLINGS##* }
    counts=
    for exponent in $DOUBLINGS; do
        counts=$counts,$((4352 << exponent))
    done
    conflict i32 i32 "${counts#,}" permutation,conflict:17,256
    conflict i64 i64 "$((2048 << most))" permutation,sorted,conflict:8,256
    conflict worst i32 "$((4352 << most))" permutation,conflict:17,256,worst
    conflict moderngpu i32 "$((1408 << most))" permutation,conflict:11,128
}

[ -x "$MULTIWAY" ] || { echo "no $MULTIWAY: make reproduction builds it" >&2; exit 2; }
MULTIWAY=$(cd "$(dirname "$MULTIWAY")" && pwd)/$(basename "$MULTIWAY")
mkdir -p "$RESULTS" && cd "$RESULTS" || exit 2
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

for figure in $FIGURES; do
    case $figure in
    1) figure_1 ;;
    2) figure_2 ;;
    3) figure_3 ;;
    4) random 4 i32 ;;
    5) random 5 i64 ;;
    6) figure_6 ;;
    7) ;;
    shapes)
        measure shapes-i32.tsv --types i32 --counts "$SHAPES_COUNT" --shapes all --with "$WITH"
        ;;
    *) echo "FIGURES: unknown figure $figure (expected 1 2 3 4 5 6 7 or shapes)" >&2; exit 2 ;;
    esac
done
exit $trouble
