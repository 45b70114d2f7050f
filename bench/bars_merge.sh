# shellcheck shell=bash disable=SC2154 # sourced by bars.sh, which has the variables
# bars_merge.sh - the bars of merge, split, select and segments, on an H200:
#
#   merge     lists beside a tree of cub::DeviceMerge
#   split     10,000 ranks of 64 lists
#   select    the k greatest beside cub::DeviceTopK and torch.topk
#   segments  segmented sorts beside cub::DeviceSegmentedSort
#   rows      rows of a matrix beside torch.sort and torch.topk
#   jobs      random small jobs against a reference, on cuda; JOBS: of each process (5000)
#   sanitize  the four tools of compute-sanitizer on every kernel

run_primitives() { # OPERATION OPTION...: adds to $work/OPERATION.tsv
    local operation=$1
    shift
    "$build/bench/multiway-primitives" --operation "$operation" "$@" \
        >>"$work/$operation.tsv" 2>"$work/complaints" || tail -n 3 "$work/complaints" >&2
}

figure() { # OPERATION CASE COUNT COLUMN: nothing unless the result was right
    awk -F'\t' -v name="$2" -v count="$3" -v column="$4" '
        $1 == "operation" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $2 == name && $3 == count && $at["verdict"] == "ok" && $at[column] != "-" {
            print $at[column]; exit }' "$work/$1.tsv"
}

all_right() { # OPERATION: no result is wrong, failed or not served
    local cases bad
    read -r cases bad < <(awk -F'\t' '/^#/ || $1 == "operation" { next }
        { n++; bad += $7 != "ok" } END { print n + 0, bad + 0 }' "$work/$1.tsv")
    judge "$1" "$cases cases: $bad wrong, failed or not served (none)" \
        [ "$cases" -gt 0 -a "$bad" = 0 ]
}

ratio_bar() { # OPERATION CASE POWER BAR: the rival's time / ours
    local count=$((1 << $3)) ratio ms rival
    ratio=$(figure "$1" "$2" "$count" ratio) ms=$(figure "$1" "$2" "$count" ours_ms)
    rival=$(figure "$1" "$2" "$count" rival)
    judge "$1" "$2 2^$3, ${rival:-rival} / ours: ${ratio:-none} ($4), ${ms:-none} ms" \
        at_least "${ratio:-0}" "$4"
}

merge_merge() {
    local kind power bar
    run_primitives merge
    run_primitives merge --kind 64 --count 2^24
    all_right merge
    while read -r kind power bar; do
        ratio_bar merge "$kind" "$power" "$bar"
    done <<'BARS'
2 27 0.93
4 27 1.55
8 27 2.0
16 27 2.4
64 27 3.1
256 27 6
64 24 8
zipf-64 27 2.5
pairs-16 27 2
BARS
}

merge_split() {
    local kind ms bar
    run_primitives split
    all_right split
    for kind in random equal disjoint interleaved one-long; do
        ms=$(figure split $kind $((1 << 27)) ours_ms)
        bar=2 && [ $kind != random ] || bar=0.5
        judge split "10000 ranks of 64 lists, 2^27 $kind: ${ms:-none} ms ($bar)" \
            less "${ms:-999}" $bar
    done
}

# The least ratio over k of one type and count; k by k it is in the table.
select_beside() { # TYPE POWER
    local least rival
    IFS=$'\t' read -r least rival < <(awk -F'\t' -v kind="^$1-random-" \
        -v count=$((1 << $2)) '
        $2 ~ kind && $3 == count { n++; if ($7 == "ok" && $6 != "-") found++
            if (least == "" || $6 < least) least = $6; rival = $8 }
        END { print (n && n == found ? least : 0) "\t" rival }' "$work/select.tsv")
    if [ "$rival" = - ]; then
        tell select "$1 2^$2: no DeviceTopK (MW_CCCL) and no anchor" skipped
        return
    fi
    judge select "$1 2^$2, $rival / ours, k = 16 to 4096: at least $least (1)" \
        at_least "$least" 1
}

# The slowest of the other shapes / random, over types, counts and k.
select_shapes() {
    local worst where
    IFS=$'\t' read -r worst where < <(awk -F'\t' '
        /^#/ || $7 != "ok" { next }
        { split($2, part, "-"); key = part[1] " k=" part[3] " " $3 }
        part[2] == "random" { random[key] = $4; next }
        { ms[key, part[2]] = $4 }
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

torch_bar() { # OPERATION CASE POWER BAR [ANCHOR]: torch's time, or the anchor / ours
    local count=$((1 << $3)) torch='' by=torch ms ratio
    [ ! -s "$work/torch.tsv" ] || torch=$(awk -F'\t' -v operation="$1" -v name="$2" \
        -v count="$count" '$1 == operation && $2 == name && $3 == count { print $4 }' \
        "$work/torch.tsv")
    [ -n "$torch" ] || { by='anchor torch' && torch=${5:-}; }
    ms=$(figure "$1" "$2" "$count" ours_ms)
    ratio=$(awk -v a="${torch:-0}" -v b="${ms:-0}" 'BEGIN {
        printf "%.3f", (b > 0 ? a / b : 0) }')
    judge "$1" "$2 2^$3, $by ${torch:-none} ms / ours ${ms:-none}: $ratio ($4)" \
        at_least "$ratio" "$4"
}

merge_select() {
    local type power k ms
    run_primitives select --trials 20
    all_right select
    for type in u32 f32 u64; do
        for power in 17 20 24 27; do
            select_beside $type $power
        done
    done
    select_shapes
    for k in 16 64 4096; do
        ms=$(figure select u32-random-$k $((1 << 27)) ours_ms)
        if less "${ms:-999}" 0.25; then
            tell select "u32 2^27, k = $k: $ms ms (moonshot: 0.25)" holds
        else
            tell select "u32 2^27, k = $k: ${ms:-none} ms (moonshot: 0.25)" "not yet"
        fi
    done
    measure_torch && torch_bar select f32-random-64 17 4
    torch_bar select f32-random-64 20 4 0.174
    torch_bar select f32-random-64 24 4 0.38
    torch_bar select f32-random-64 27 4 2.65
}

merge_segments() {
    local kind bar
    run_primitives segments
    all_right segments
    while read -r kind bar; do
        ratio_bar segments "$kind" 24 "$bar"
        ratio_bar segments "pairs-$kind" 24 "$bar"
    done <<'BARS'
i32-8 1.0
i64-8 1.0
i32-to2000 3
i64-to2000 3
i32-65536 1.2
i64-65536 2
i32-mixed 5
i64-mixed 5
i32-one 0.8333
i64-one 0.8333
BARS
}

# Sorts have anchors of torch.sort, should there be no torch; torch.topk has none.
merge_rows() {
    local columns
    run_primitives rows
    all_right rows
    if measure_torch; then
        for columns in 256 4096 65536 1048576 16; do
            torch_bar rows sort-$columns 24 1.5
            torch_bar rows top-$columns 24 3
        done
        return
    fi
    for columns in 256 4096 65536 1048576 16; do
        ratio_bar rows sort-$columns 24 1.5
    done
    tell rows "torch.topk(dim=1): no torch here" skipped
}

merge_jobs() {
    local seed failures
    [ -x "$build/tests/primitives" ] || { tell jobs "no tests/primitives" skipped; return; }
    for seed in 1 2 3 4; do # case i of a seed is case 0 of seed + i
        { timeout 300 "$build/tests/primitives" cuda ${seed}000000 "${JOBS:-5000}" \
            >"$work/jobs-$seed.log" 2>&1; echo $? >"$work/jobs-$seed.status"; } &
    done
    wait
    failures=$(cat "$work"/jobs-*.status | grep -cv '^0$')
    judge jobs "4 x ${JOBS:-5000} random jobs on cuda: $failures of 4 failed (none)" \
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
    cmake --build "$build" --target multiway-primitives -j "$(nproc)" >"$work/log" 2>&1 || {
        tail -n 5 "$work/log" >&2
        exit 2
    }
    for part in merge split select segments rows jobs; do
        ! wanted $part || merge_$part
    done
    ! wanted sanitize || sanitize_jobs
}
