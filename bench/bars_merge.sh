# shellcheck shell=bash disable=SC2154 # sourced by bars.sh, which has the variables
# bars_merge.sh - the bars of merge, split, select and segments, on an H200:
#
#   merge     lists beside a tree of cub::DeviceMerge
#   split     10,000 ranks of 64 lists
#   select    the k greatest beside cub::DeviceTopK and torch.topk
#   segments  segmented sorts beside cub::DeviceSegmentedSort
#   rows      rows of a matrix beside torch.sort and torch.topk
#   jobs      random small jobs against a reference, on cuda; JOBS: of each process (12500)
#   sanitize  the four tools of compute-sanitizer on every kernel

run_bench() { # OPERATION OPTION...: adds to $work/OPERATION.tsv
    local operation=$1
    shift
    "$build/cli/multiway" bench --device cuda --operation "$operation" "$@" \
        --tsv "$work/part.tsv" >"$work/said" 2>"$work/complaints" ||
        { tail -n 3 "$work/complaints" && grep 'WRONG\|FAILED' "$work/said"; } >&2
    cat "$work/part.tsv" >>"$work/$operation.tsv"
}

# The columns of a table by name, for awk: at["ratio"].
# shellcheck disable=SC2016
columns='$1 == "type" { for (i = 1; i <= NF; i++) at[$i] = i; next } /^#/ { next }'

figure() { # OPERATION JOB TYPE SHAPE COUNT CONTESTANT COLUMN: nothing unless it was right
    awk -F'\t' -v job="$1 $2" -v type="$3" -v shape="$4" -v count="$5" -v who="$6" \
        -v column="$7" "$columns"'
        $at["job"] == job && $1 == type && $2 == shape && $3 == count &&
        $at["contestant"] == who && $at["verified"] == "yes" && $at[column] != "-" {
            print $at[column]; exit }' "$work/$1.tsv"
}

all_right() { # OPERATION: no result is wrong, and ours is in every case
    local cases bad
    read -r cases bad < <(awk -F'\t' "$columns"'
        $at["job"] == "-" { next }
        { n += $at["contestant"] == "tile"; bad += $at["verified"] != "yes" }
        END { print n + 0, bad + 0 }' "$work/$1.tsv")
    judge "$1" "$cases cases: $bad wrong results (none)" [ "$cases" -gt 0 -a "$bad" = 0 ]
}

ratio_bar() { # OPERATION JOB TYPE POWER RIVAL BAR: the rival's time / ours, random keys
    local count=$((1 << $4)) ratio ms
    ratio=$(figure "$1" "$2" "$3" random "$count" "$5" ratio)
    ms=$(figure "$1" "$2" "$3" random "$count" tile median_ms)
    judge "$1" "$2 $3 2^$4, $5 / ours: ${ratio:-none} ($6), ${ms:-none} ms" \
        at_least "${ratio:-0}" "$6"
}

merge_merge() {
    local job type power bar
    run_bench merge --types u32 --jobs 2,4,8,16,64,256,zipf:64 --counts 2^27
    run_bench merge --types u64 --jobs 16+8 --counts 2^27 --shapes random,few:16
    run_bench merge --types u32 --jobs 64 --counts 2^24
    all_right merge
    while read -r job type power bar; do
        ratio_bar merge "$job" "$type" "$power" cub-merge-tree "$bar"
    done <<'BARS'
2 u32 27 0.93
4 u32 27 1.55
8 u32 27 2.0
16 u32 27 2.4
64 u32 27 3.1
256 u32 27 6
64 u32 24 8
zipf:64 u32 27 2.5
16+8 u64 27 2
BARS
}

# Reversed keys make disjoint lists; interleaved:2^21 puts every 64th key into one list.
merge_split() {
    local shape job ms bar
    run_bench split --jobs 64 --counts 2^27 --shapes random,equal,reversed,interleaved:2097152
    run_bench split --jobs long:64 --counts 2^27
    all_right split
    while read -r job shape bar; do
        ms=$(figure split "$job" u32 "$shape" $((1 << 27)) tile median_ms)
        judge split "10000 ranks of $job lists, 2^27 $shape: ${ms:-none} ms ($bar)" \
            less "${ms:-999}" "$bar"
    done <<'BARS'
64 random 0.5
64 equal 2
64 reversed 2
64 interleaved:2097152 2
long:64 random 2
BARS
}

# The least ratio over k of one type and count; k by k it is in the table.
select_beside() { # TYPE POWER
    local least
    least=$(awk -F'\t' -v type="$1" -v count=$((1 << $2)) "$columns"'
        $1 == type && $2 == "random" && $3 == count && $at["contestant"] == "cub-topk" {
            n++
            found += $at["verified"] == "yes" && $at["ratio"] != "-"
            if (n == 1 || $at["ratio"] < least) least = $at["ratio"] }
        END { print (n == 0 ? "none" : n == found ? least : 0) }' "$work/select.tsv")
    if [ "$least" = none ]; then
        tell select "$1 2^$2: no cub::DeviceTopK (MW_CCCL)" skipped
        return
    fi
    judge select "$1 2^$2, cub-topk / ours, k = 16 to 4096: at least $least (1)" \
        at_least "$least" 1
}

# The slowest of the other shapes / random, over types, counts and k.
select_shapes() {
    local worst where
    IFS=$'\t' read -r worst where < <(awk -F'\t' "$columns"'
        $at["contestant"] != "tile" || $at["verified"] != "yes" { next }
        { key = $1 " " $at["job"] " " $3 }
        $2 == "random" { random[key] = $at["median_ms"]; next }
        { ms[key, $2] = $at["median_ms"] }
        END {
            for (i in ms) {
                split(i, part, SUBSEP)
                if (random[part[1]] > 0 && ms[i] / random[part[1]] > worst) {
                    worst = ms[i] / random[part[1]]; where = part[1] " " part[2] }
            }
            printf "%.3f\t%s\n", worst, where }' "$work/select.tsv")
    judge select "slowest shape / random: $worst ($where) (2)" \
        awk -v worst="$worst" 'BEGIN { exit !(worst > 0 && worst <= 2) }'
}

measure_torch() { # once; 1 if there is no torch
    [ ! -s "$work/torch.tsv" ] || return 0
    python3 -c 'import torch' 2>/dev/null || return 1
    python3 bench/torch_rows.py >"$work/torch.tsv" 2>"$work/complaints" ||
        tail -n 3 "$work/complaints" >&2
}

torch_bar() { # BAR-NAME OPERATION JOB TYPE TORCH-CASE POWER BAR [ANCHOR]: torch / ours
    local count=$((1 << $6)) torch='' by=torch ms ratio
    [ ! -s "$work/torch.tsv" ] || torch=$(awk -F'\t' -v name="$1" -v row="$5" \
        -v count="$count" '$1 == name && $2 == row && $3 == count { print $4 }' \
        "$work/torch.tsv")
    [ -n "$torch" ] || { by='anchor torch' && torch=${8:-}; }
    ms=$(figure "$2" "$3" "$4" random "$count" tile median_ms)
    ratio=$(awk -v a="${torch:-0}" -v b="${ms:-0}" 'BEGIN {
        printf "%.3f", (b > 0 ? a / b : 0) }')
    judge "$1" "$2 $3 $4 2^$6, $by ${torch:-none} ms / ours ${ms:-none}: $ratio ($7)" \
        at_least "$ratio" "$7"
}

merge_select() {
    local type power k ms
    run_bench select --trials 20 --counts 2^17,2^20,2^24,2^27 \
        --shapes random,equal,few:2,sorted,few:16
    all_right select
    for type in u32 f32 u64; do
        for power in 17 20 24 27; do
            select_beside $type $power
        done
    done
    select_shapes
    for k in 16 64 4096; do
        ms=$(figure select $k u32 random $((1 << 27)) tile median_ms)
        if less "${ms:-999}" 0.25; then
            tell select "u32 2^27, k = $k: $ms ms (moonshot: 0.25)" holds
        else
            tell select "u32 2^27, k = $k: ${ms:-none} ms (moonshot: 0.25)" "not yet"
        fi
    done
    measure_torch && torch_bar select select 64 f32 f32-random-64 17 4
    torch_bar select select 64 f32 f32-random-64 20 4 0.174
    torch_bar select select 64 f32 f32-random-64 24 4 0.38
    torch_bar select select 64 f32 f32-random-64 27 4 2.65
}

merge_segments() {
    local job type bar rival
    run_bench segments --counts 2^24 \
        --jobs 8,to:2000,65536,mixed,one,8+4,to:2000+4,65536+4,mixed+4,one+4
    all_right segments
    while read -r job type bar; do
        rival=cub-segmented && [ "$job" != one ] || rival=plain
        ratio_bar segments "$job" "$type" 24 $rival "$bar"
        ratio_bar segments "$job+4" "$type" 24 $rival "$bar"
    done <<'BARS'
8 i32 1.0
8 i64 1.0
to:2000 i32 3
to:2000 i64 3
65536 i32 1.2
65536 i64 2
mixed i32 5
mixed i64 5
one i32 0.8333
one i64 0.8333
BARS
}

# Rows of a matrix of 2^24. Times of torch.sort on an H200 stand in for torch.
merge_rows() {
    local columns_of anchor
    run_bench segments --counts 2^24 --types i32 \
        --jobs 16+positions,256+positions,4096+positions,65536+positions,1048576+positions
    run_bench select --counts 2^24 --types f32 \
        --jobs 64/16,64/256,64/4096,64/65536,64/1048576
    measure_torch || tell rows "torch.topk(dim=1): no torch here" skipped
    while read -r columns_of anchor; do
        torch_bar rows segments "$columns_of+positions" i32 "sort-$columns_of" 24 1.5 "$anchor"
        [ ! -s "$work/torch.tsv" ] ||
            torch_bar rows select "64/$columns_of" f32 "top-$columns_of" 24 3
    done <<'ROWS'
256 1.63
4096 0.565
65536 1.30
1048576 1.65
16 3.09
ROWS
}

merge_jobs() {
    local seed failures
    [ -x "$build/tests/primitives" ] || { tell jobs "no tests/primitives" skipped; return; }
    export MULTIWAY_TEST_CACHE=$work/kernels
    for seed in 1 2 3 4 5 6 7 8; do # case i of a seed is case 0 of seed + i
        { timeout 300 "$build/tests/primitives" cuda ${seed}000000 "${JOBS:-12500}" \
            >"$work/jobs-$seed.log" 2>&1; echo $? >"$work/jobs-$seed.status"; } &
    done
    wait
    failures=$(cat "$work"/jobs-*.status | grep -cv '^0$')
    judge jobs "8 x ${JOBS:-12500} random jobs on cuda: $failures of 8 failed (none)" \
        [ "$failures" = 0 ]
    grep -h '^not ok' "$work"/jobs-*.log | head -n 3
}

merge() {
    local part
    if ! nvidia-smi -L >/dev/null 2>&1; then
        for part in merge split select segments rows jobs sanitize; do
            ! wanted $part || tell $part "no GPU" skipped
        done
        return
    fi
    cmake --build "$build" --target multiway-rivals -j "$(nproc)" >"$work/log" 2>&1 || {
        tail -n 5 "$work/log" >&2
        exit 2
    }
    for part in merge split select segments rows jobs; do
        ! wanted $part || merge_$part
    done
    ! wanted sanitize || sanitize_jobs
}
