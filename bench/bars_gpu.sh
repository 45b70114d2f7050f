# shellcheck shell=bash disable=SC2154 # sourced by bars.sh, which has the variables
# bars_gpu.sh - the bars of keys on an H200, a function gpu_NAME for each section:
#
#   radix   keys of 4 and 8 bytes beside CUB's radix sort, random and other shapes
#   narrow  keys of 1 and 2 bytes beside CUB's radix sort and beside a copy
#   beyond  2^32 + 12,345 i32 and 2^33 u8 beside 2^31 of them; needs torch
#   host    sorts of host memory beside copies of page-locked memory, in one process
#
#   RIVALS  a rivals plugin (that of the build folder)

radix_least() { # FILE PATTERN: cases, wrong ones, the least CUB radix / ours and where
    awk -F'\t' -v pattern="$2" '
        /^#/ { next }
        $1 == "type" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["contestant"] == "copy" { next }
        { key = $1 " " $2 " " $3; wrong += $at["verified"] != "yes" }
        $at["contestant"] == "cub-radix" { rival[key] = $at["median_ms"]; next }
        { ours[key] = $at["median_ms"] }
        END {
            for (key in ours) {
                if (key !~ pattern) continue
                ratio = rival[key] / ours[key]
                if (!n++ || ratio < least) { least = ratio; where = key }
            }
            printf "%d\t%d\t%.3f\t%s\n", n, wrong, least, where }' "$1"
}

radix_bar() { # WHAT FILE PATTERN BAR
    local cases wrong least where
    IFS=$'\t' read -r cases wrong least where < <(radix_least "$2" "$3")
    judge radix "$1, $cases cases, $wrong wrong, CUB radix / ours: $least at $where ($4)" \
        awk -v n="$cases" -v wrong="$wrong" -v least="$least" -v bar="$4" \
        'BEGIN { exit !(n > 0 && wrong == 0 && least >= bar) }'
}

run_radix() { # FILE OPTION...
    local file=$1
    shift
    "$build/cli/multiway" bench --device cuda --with auto,cub-radix \
        ${RIVALS:+--rivals-from "$RIVALS"} --commit "${COMMIT:-unknown}" "$@" --tsv "$file" \
        >"$work/log" 2>&1 || tail -n 3 "$work/log" >&2
}

gpu_radix() {
    local file
    file=$work/radix.tsv
    run_radix "$file" --types i32,u32,f32,i64,u64,f64 --shapes random --counts 2^26,2^28 --trials 20
    radix_bar '4 B, random' "$file" '^.32 ' 1
    radix_bar '8 B, random, 2^28' "$file" '^.64 .* 268435456$' 1.5
    file=$work/radix-shapes.tsv
    run_radix "$file" --types i32,i64 --counts "${COUNTS:-2^20,2^24,2^28}" --trials 5 --shapes \
        sorted,reversed,equal,few,swaps:1000,sawtooth:256,organ,blocks,interleaved,extremes
    radix_bar 'other shapes' "$file" . 1
}

# Of keys of BYTES bytes: cases, wrong ones, the least rival / ours and where, the most ms of
# ours at 2^28, and ms of a copy.
narrow_figures() { # BYTES
    awk -F'\t' -v bytes="$1" '
        /^#/ { next }
        $1 == "type" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        (bytes == 1) != ($1 ~ /8$/) { next }
        { ms = $at["median_ms"]; large = $3 == 268435456 }
        $at["contestant"] == "copy" { if (large) copy = ms; next }
        { key = $1 " " $2 " " $3; wrong += $at["verified"] != "yes" }
        $at["contestant"] == "tally" { ours[key] = ms; if (large && ms > most) most = ms }
        $at["contestant"] == "cub-radix" { rival[key] = ms }
        END {
            for (key in ours) {
                ratio = rival[key] / ours[key]
                if (!n++ || ratio < least) { least = ratio; where = key }
            }
            printf "%d\t%d\t%.2f\t%s\t%.4f\t%.4f\n", n, wrong, least, where, most, copy }' \
        "$work/narrow.tsv"
}

gpu_narrow() {
    local bytes bar cases wrong least where most copy
    "$build/cli/multiway" bench --device cuda --with tally,cub-radix --types u8,i8,u16,i16 \
        --shapes random,sorted,equal,few:2,few:16,sawtooth:1000 \
        --counts "${COUNTS:-2^20,2^24,2^28}" --trials 20 ${RIVALS:+--rivals-from "$RIVALS"} \
        --commit "${COMMIT:-unknown}" --tsv "$work/narrow.tsv" >"$work/log" 2>&1 ||
        tail -n 3 "$work/log" >&2
    for bytes in 1 2; do
        IFS=$'\t' read -r cases wrong least where most copy < <(narrow_figures $bytes)
        judge narrow "$bytes B, $cases cases, $wrong wrong, CUB radix / ours: $least at $where (2)" \
            awk -v n="$cases" -v wrong="$wrong" -v least="$least" \
            'BEGIN { exit !(n > 0 && wrong == 0 && least >= 2) }'
        bar=2 && [ $bytes = 1 ] || bar=2.5
        judge narrow "$bytes B, 2^28, slowest: $most ms, a copy: $copy ms ($bar times)" \
            awk -v ms="$most" -v copy="$copy" -v bar=$bar \
            'BEGIN { exit !(ms > 0 && ms <= bar * copy) }'
    done
}

gpu_beyond() {
    local type many ratio right
    for type in i32 u8; do
        many=$(((1 << 32) + 12345)) && [ $type = i32 ] || many=$((1 << 33))
        MULTIWAY_LIBRARY=$build/src/libmultiway.so PYTHONPATH=$tree/python \
            python3 bench/torch_beyond.py $type $((1 << 31)) $many >"$work/beyond-$type.tsv" \
            2>"$work/complaints" || tail -n 3 "$work/complaints" >&2
        IFS=$'\t' read -r ratio right < <(awk -F'\t' '{ each[NR] = $4; right += $5 == "yes" }
            END { printf "%.3f\t%d\n", each[1] ? each[2] / each[1] : 99, right }' \
            "$work/beyond-$type.tsv")
        judge beyond "$type, $many keys, time a key / that of 2^31: $ratio (1.1), $right right" \
            awk -v ratio="$ratio" -v right="$right" \
            'BEGIN { exit !(right == 2 && ratio <= 1.1) }'
    done
}

host_figure() { # WHAT COLUMN: of the table in $work/host.tsv; nothing if it was wrong
    awk -F'\t' -v what="$1" -v column="$2" '$4 == what && $7 == "ok" { print $column }' \
        "$work/host.tsv"
}

host_bar() { # WHAT BAR [PARTS]: time / the copies' at most the bar; PARTS: copies count twice
    local ratio ms by=${3:-1}
    ms=$(host_figure "$1" 5)
    ratio=$(host_figure "$1" 6 | awk -v by="$by" '{ printf "%.3f", $1 / by }')
    judge host "$(awk 'NR == 2 { print $1 }' "$work/host.tsv"), $1: ${ms:-none} ms, $(
        )${ratio:-none} of $((2 * by)) copies ($2)" less "${ratio:-999}" "$2"
}

run_host() { # TYPE COUNT TRIALS MEMORY [keys]
    "$build/bench/multiway-host" "$1" "$2" "$3" "$4" "$work/cache" ${5:+"$5"} \
        >"$work/host.tsv" 2>"$work/complaints" || tail -n 3 "$work/complaints" >&2
}

gpu_host() {
    cmake --build "$build" --target multiway_host_bench -j "$(nproc)" >"$work/log" 2>&1 ||
        { tail -n 5 "$work/log" >&2; return; }
    mkdir -p "$work/cache"
    run_host i32 2^28 20 0 keys
    host_bar pageable 1.25
    host_bar page-locked 1.12
    if [ "$(awk '/MemAvailable/ { print int($2 / 2^20) }' /proc/meminfo)" -ge 72 ]; then
        run_host i64 2^32 1 2^33+2^32
        host_bar pageable 1.5 2
    else
        tell host "32 GiB of i64 in 12 GiB: needs 72 GiB of host memory" skipped
    fi
}

gpu() {
    local section
    for section in radix narrow beyond host; do
        if ! wanted "$section"; then
            continue
        elif [ $section = beyond ] && ! python3 -c 'import torch' 2>/dev/null; then
            tell beyond "no torch" skipped
        elif nvidia-smi -L >/dev/null 2>&1; then
            "gpu_$section"
        else
            tell "$section" "needs a GPU" skipped
        fi
    done
}
