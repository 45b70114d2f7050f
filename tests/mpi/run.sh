#!/usr/bin/env bash
# run.sh FOLDER [RANKS...] - multiway-mpi under mpirun, beside multiway.
#
#   MPIRUN                   what starts ranks, but for their number: mpirun -n
#   MULTIWAY, MULTIWAY_MPI   the commands; EXAMPLE: example 15
#   MORE                     not empty: all shapes, and kill a rank at every call
#
# cmake/mpi.cmake has what else Open MPI needs to be told.
# FOLDER has across_mpi, across_mpi_chunks, across_mpi_shapes, across_mpi_open and
# multiway-mpi-killed.
# Speaks TAP.
# shellcheck disable=SC2086 # MPIRUN is a list of words
set -u

programs=$(realpath "$1")
manual=$(realpath "$(dirname "$0")/../../docs/multiway-mpi.1")
shift
[ $# -gt 0 ] || set -- 1 2 3 4 7 8
# shellcheck source=tests/say.sh
. "$(dirname "$0")/../say.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

start() { # RANKS PROGRAM ARGUMENT...; mpirun would read the input of a loop
    timeout 60 $MPIRUN "$@" >log 2>&1 </dev/null
}

if ! start 2 true; then
    echo "1..0 # SKIP $MPIRUN starts no ranks here: $(tr '\n' ' ' <log | cut -c 1-200)"
    exit 0
fi

complaint() { # of the last start, if it failed
    echo "status $?: $(tail -n 5 log)"
}

compare() { # NAME RANKS FILE OPTION...: multiway-mpi writes what multiway does
    local name=$1 ranks=$2 file=$3
    shift 3
    rm -f got
    [ -e "want-$file-$*" ] || "$MULTIWAY" sort --device cpu:2 "$@" -o "want-$file-$*" "$file"
    if start "$ranks" "$MULTIWAY_MPI" sort "$@" -o got "$file"; then
        say "$name, $ranks ranks" "$(cmp got "want-$file-$*" 2>&1)"
    else
        say "$name, $ranks ranks" "$(complaint)"
    fi
}

shapes='random equal organ'
[ -z "${MORE:-}" ] || shapes=$("$MULTIWAY" gen --help |
    sed -n '/^Shapes:/,/^$/ s/^  \([a-z]*\).*/\1/p' | grep -vE 'conflict|swaps|sawtooth')
for shape in $shapes; do
    "$MULTIWAY" gen --type u64 --count 20011 --shape "$shape" -o "$shape"
done
"$MULTIWAY" gen --record 100 --key 0:bytes:10 --count 3001 -o records
"$MULTIWAY" gen --type u8 --count 5 -o five
: >none

test_program() { # RANKS PROGRAM ARGUMENT...
    local ranks=$1 program=$2
    shift 2
    if start "$ranks" "$programs/$program" "$@"; then
        say "$program${*:+ $*}, $ranks ranks" ''
    else
        say "$program${*:+ $*}, $ranks ranks" "$(complaint)"
    fi
}

for ranks in "$@"; do
    test_program "$ranks" across_mpi "$ranks" 40
    test_program "$ranks" across_mpi_chunks "$ranks" 40
    for rows in keys pairs records ties; do
        test_program "$ranks" across_mpi_shapes $rows
    done
    for shape in $shapes; do
        compare "u64 $shape" "$ranks" "$shape" --type u64
    done
    compare records "$ranks" records --record 100 --key 0:bytes:10
    compare 'heavy ties' "$ranks" records --record 100 --key 50:u8:desc
    compare 'fewer keys than ranks' "$ranks" five --type u8 --desc
    compare 'no keys' "$ranks" none --type f32
done

test_program 3 across_mpi_open
start 3 "$EXAMPLE"
say "the example, 3 ranks" "$([ $? = 0 ] && [ "$(grep -c '^rank' log)" = 3 ] || cat log)"

start 1 "$MULTIWAY_MPI" --help
say "the manual page names every option" "$(
    sed -n 's/^ *\(-., \)*\(--[a-z-]*\).*/\2/p' log | while read -r option; do
        sed 's/\\-/-/g' "$manual" | grep -q -e "$option" || echo "$option"
    done; grep -q -e --help log || cat log)"

# What fails, and what rank 0 says about it; no file appears.
while IFS='|' read -r arguments words; do
    rm -f out
    start 3 "$MULTIWAY_MPI" $arguments
    code=$?
    say "multiway-mpi $arguments" "$([ $code != 0 ] && [ ! -e out ] &&
        [ "$(grep -c -e "$words" log)" = 1 ] || { echo "status $code"; cat log; ls; })"
done <<'CASES'
sort --type u64 -o out missing|cannot read missing: No such file
sort --type u64 -o out five|five has 5 bytes, which is no number of u64 keys
sort --type u64 -o nowhere/out random|cannot write nowhere/out: No such file
sort --type u64 -o out --device gpu random|unknown device "gpu"
sort --type u64 -o out|no file to sort
sort --type u65 -o out random|--type u65: expected one of
sort --order 1 -o out random|unknown option --order (see mpirun -n RANKS multiway-mpi sort --help)
count|expected the command sort
CASES

# What cannot be written is refused before anything is read.
for name in nowhere/out . /dev/null ''; do
    start 3 "$MULTIWAY_MPI" sort -v --type u64 -o "$name" random
    say "an output '$name'" "$([ $? != 0 ] && ! grep -q ' read by ' log || cat log)"
done

# A link stays one, also if it leads to a file that is not there yet.
mkdir -p linked
ln -sf linked/link there && ln -sf ../new linked/link
for name in missing present; do
    start 3 "$MULTIWAY_MPI" sort --type u64 -o there random
    say "an output by way of links, $name" "$([ -L there ] && [ -L linked/link ] &&
        cmp new 'want-random---type u64' 2>&1 || { cat log; ls -l . linked; })"
done

# A limit of 32 MiB on the size of files is an error, not the end by a signal.
"$MULTIWAY" gen --type u8 --count 40M -o large
start 3 sh -c 'ulimit -f 65536; exec "$@"' sh "$MULTIWAY_MPI" sort --type u8 -o out large
say "a limit on the size of files" "$([ $? != 0 ] && ! ls out* >/dev/null 2>&1 &&
    grep -q 'cannot write out: File too large' log || { cat log; ls; })"
rm -f large

# A rank that dies at a call of MPI: the others end, and the output is not there, or
# complete if the last call was the one.
kills='1 4 7 12 20 30 34'
[ -z "${MORE:-}" ] || kills=$(seq 1 60)
lived=0
for at in $kills; do
    rm -f out
    KILL_RANK=$((at % 3)) KILL_AT=$at \
        start 3 "$programs/multiway-mpi-killed" sort --type u64 -o out random
    code=$?
    if [ $code = 0 ]; then # it made fewer calls
        lived=1
        say "a rank that would die at call $at" "$(cmp out 'want-random---type u64' 2>&1)"
    else
        say "a rank that dies at call $at" "$([ $code != 124 ] &&
            { [ ! -e out ] || cmp -s out 'want-random---type u64'; } ||
            { echo "status $code"; ls; })"
    fi
done
[ -z "${MORE:-}" ] || say "some ranks live on" "$([ $lived = 1 ] || echo "all died")"
echo "1..$number"
exit $failed
