#!/bin/sh
# reproduce.sh - measure on a GPU what docs/reproduction.md shows of the paper.
#
# `make reproduction` builds and calls this. It runs `multiway bench` once for each
# file of results; `make figures` draws them. What can be said beforehand, by
# variables of the environment:
#
#   FIGURES   which of 1 3 2 4 5 6 shapes; 2 takes the best warps from 3, and 7 is
#             drawn from 4 and 6
#   RESULTS   the folder to write to
#   COMMIT    what is measured, if this is not a clone
#   DEVICE, TRIALS, WITH (who sorts in figures 1, 4, 5 and 6), BENCH_FLAGS (other
#   options of `multiway bench`), and the counts below
#
# A file grows as it is measured, so what was done before an interruption is kept,
# and FIGURES can ask for the rest.
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

# doubled BASE EXPONENT...: BASE * 2^EXPONENT each, with commas between them.
doubled() {
    base=$1
    shift
    for exponent; do
        printf '%s%s' "$comma" $((base << exponent))
        comma=,
    done
}

# Run time against sortedness; at the right end, inputs against CUB and modernGPU.
figure_1() {
    shapes=sorted
    for swaps in $SWAPS; do
        shapes=$shapes,swaps:$swaps
    done
    measure fig1-sortedness.tsv --types i32 --counts "$LARGE" --with "$WITH" \
        --shapes "$shapes,permutation,conflict:17,256,conflict:11,128"
}

# Engine heap over warps, for each number of ways.
figure_3() {
    for ways in 2 4 8 16 32; do
        with=
        for warps in $WARPS; do
            with=$with,heap:$ways:$warps
        done
        measure "fig3-ways-$ways.tsv" --types i32 --counts "$TUNED" --shapes permutation \
            --with "${with#,}"
    done
}

# The contestant of the least mean time in figure 3, by its ways.
best_of() {
    awk -F '\t' '$4 ~ /^heap/ && $12 == "yes" && (best == "" || $6 < best) {
            best = $6; name = $4
        } END { print name }' "fig3-ways-$1.tsv"
}

# Throughput over counts, each number of ways with the warps that were best for it.
figure_2() {
    with=
    for ways in 2 4 8 16 32; do
        [ -f "fig3-ways-$ways.tsv" ] || { figure_3; break; }
    done
    for ways in 2 4 8 16 32; do
        with=$with$(best_of "$ways"),tile:$ways,
    done
    measure fig2-ways.tsv --types i32 --counts "$WAYS_COUNTS" --shapes permutation \
        --with "${with%,}"
}

figure_4() {
    measure fig4-random-i32.tsv --types i32 --counts "$COUNTS" --shapes permutation \
        --with "$WITH" --phases-tsv fig4-launches-i32.tsv
}

figure_5() {
    measure fig5-random-i64.tsv --types i64 --counts "$COUNTS" --shapes permutation \
        --with "$WITH" --phases-tsv fig5-launches-i64.tsv
}

# Inputs against CUB, of 4-byte and of 8-byte keys; the worst pattern; modernGPU's,
# whose tiles are 128 threads of 11 keys: 15 is for compute capability 5.2 alone.
figure_6() {
    most=${DOUBLINGS##* }
    # shellcheck disable=SC2086 # a list of numbers
    measure fig6-conflict-i32.tsv --types i32 --with "$WITH" \
        --counts "$(comma='' doubled 4352 $DOUBLINGS)" --shapes permutation,conflict:17,256
    measure fig6-conflict-i64.tsv --types i64 --with "$WITH" \
        --counts "$((2048 << most))" --shapes permutation,sorted,conflict:8,256
    measure fig6-conflict-worst.tsv --types i32 --with "$WITH" \
        --counts "$((4352 << most))" --shapes permutation,conflict:17,256,worst
    measure fig6-conflict-moderngpu.tsv --types i32 --with "$WITH" \
        --counts "$((1408 << most))" --shapes permutation,conflict:11,128
}

figure_shapes() {
    measure shapes-i32.tsv --types i32 --counts "$SHAPES_COUNT" --shapes all --with "$WITH"
}

[ -x "$MULTIWAY" ] || { echo "There is no $MULTIWAY: make reproduction builds it." >&2; exit 2; }
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
    4) figure_4 ;;
    5) figure_5 ;;
    6) figure_6 ;;
    7) ;;
    shapes) figure_shapes ;;
    *) echo "FIGURES: there is no $figure, but 1 2 3 4 5 6 7 shapes" >&2; exit 2 ;;
    esac
done
exit $trouble
