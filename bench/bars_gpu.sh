# shellcheck shell=bash disable=SC2154 # sourced by bars.sh, which has the variables
# bars_gpu.sh - the bars of keys on an H200, a function gpu_NAME for each section:
#
#   host  sorts of host memory beside copies of page-locked memory, in one process

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
    # shellcheck disable=SC2043 # a list
    for section in host; do
        if ! wanted "$section"; then
            continue
        elif nvidia-smi -L >/dev/null 2>&1; then
            "gpu_$section"
        else
            tell "$section" "needs a GPU" skipped
        fi
    done
}
