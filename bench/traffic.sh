#!/bin/sh
# traffic.sh [BUILD [OUT [CASES]]] - what engine tile moves and what it keeps busy, by
# Nsight Compute.
#
# On a machine with a GPU and ncu, after `cmake --build BUILD --target calibrate`: sort
# random keys under the profiler, and write to OUT (BUILD/traffic.tsv) for each launch the
# sectors that it asked the first cache for, those that went to and from the second, and
# the bytes that came from memory, caches being empty when it began, and that went there.
#
# `first_percent`, `second_percent` and `memory_percent` are how much more that is than
# reading each key once and writing it once; finding cuts is part of the launches that
# merge. Up to 60 MiB of what a launch writes are still in the second cache when it ends,
# so `memory_percent` counts as written all that went to that cache: a little too much,
# since a sector that two requests wrote in part counts twice. Bytes written of one count
# less those of half of it are what half of it takes, without that.
#
# The last columns are percent of what there is: of cycles in which an instruction was
# issued; of the pipes for integers, for products, for doubles and for shared memory; of
# memory. calibrate.sh holds small inputs against the simulator's ledger. CASES is a file
# with other types and counts, digits or as in 2^20; COMMIT names what was measured if
# git cannot.
set -u

build=${1:-build}
out=${2:-$build/traffic.tsv}
tree=$(cd "$(dirname "$0")/.." && pwd)
calibrate=$build/tests/calibrate/calibrate
counters=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
counters=$counters,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
counters=$counters,lts__t_sectors_srcunit_tex_op_read.sum
counters=$counters,lts__t_sectors_srcunit_tex_op_write.sum
counters=$counters,dram__bytes_read.sum,dram__bytes_write.sum
busy=.avg.pct_of_peak_sustained_active
counters=$counters,smsp__issue_active$busy,sm__pipe_alu_cycles_active$busy
counters=$counters,sm__pipe_fmaheavy_cycles_active$busy,sm__inst_executed_pipe_fp64$busy
counters=$counters,l1tex__data_pipe_lsu_wavefronts$busy
counters=$counters,dram__throughput.avg.pct_of_peak_sustained_elapsed

fail() {
    echo "traffic.sh: $*" >&2
    exit 1
}

[ $# -lt 3 ] || [ -r "$3" ] || fail "no $3"
[ -x "$calibrate" ] || fail "no $calibrate: cmake --build $build --target calibrate"
command -v ncu >/dev/null || fail "no ncu on the PATH"
log=$build/traffic.csv
"$calibrate" cuda info >"$log" || fail "no GPU"
info() {
    sed -n "s/^$1	//p" "$log"
}
{
    echo "# what engine tile moves and keeps busy: launches of one sort of random keys"
    echo "# machine: $(info name), driver $(info driver), $(info processors) multiprocessors"
    echo "# profiler: $(ncu --version | sed -n 's/^Version //p' | head -n 1)"
    echo "# date: $(date -u +%Y-%m-%d)"
    echo "# commit: ${COMMIT:-$(git -C "$tree" rev-parse --short HEAD 2>/dev/null || echo unknown)}"
    echo "# command: sh bench/traffic.sh"
    echo "# counters, in the order of columns, but for percent: $counters"
    printf 'type\tcount\tlaunch\tkernel\tfirst_read\tfirst_written\tsecond_read\t'
    printf 'second_written\tmemory_read_bytes\tmemory_written_bytes\t'
    printf 'first_percent\tsecond_percent\tmemory_percent\t'
    printf 'issue_busy\tinteger_busy\tproduct_busy\tdouble_busy\tshared_busy\tmemory_busy\n'
} >"$out" || fail "cannot write $out"

# One line a launch out of one a counter; numbers have commas between thousands.
# shellcheck disable=SC2016 # awk's dollars, not the shell's
lines='
function value(name) { return of[launch, name] }
function percent(bytes) { return sprintf("%.2f", 100 * bytes / keys - 100) }
BEGIN { FS = "\",\""; OFS = "\t"; split(counters, names, ","); last = -1 }
/^"ID"/ {
    for (i = 1; i <= NF; i++)
        column[$i] = i
}
/^"[0-9]/ {
    number = substr($1, 2) + 0
    kernel[number] = $column["Kernel Name"]
    sub(/\(.*/, "", kernel[number])
    figure = $NF
    gsub(/[",]/, "", figure)
    if (figure !~ /^[0-9.]+$/)
        exit bad = 1
    of[number, $column["Metric Name"]] = figure
    if (number > last)
        last = number
}
END {
    if (bad || last < 0)
        exit 1
    parts = split(count, power, "^")
    keys = 2 * size * (parts == 2 ? power[1] ^ power[2] : count)
    for (launch = 0; launch <= last; launch++) {
        for (i = 1; i <= 12; i++)
            n[i] = value(names[i])
        print type, count, launch, kernel[launch], n[1], n[2], n[3], n[4], n[5], n[6],
            percent(32 * (n[1] + n[2])), percent(32 * (n[3] + n[4])),
            percent(n[5] + 32 * n[4]), n[7], n[8], n[9], n[10], n[11], n[12]
    }
}'

if [ $# -lt 3 ]; then
    for count in 2^20 2^23 2^26 2^28 2^29; do
        echo "i32 $count"
    done
    for count in 2^19 2^22 2^25 2^27 2^28; do
        echo "i64 $count"
    done
    for type in u16 u8; do
        printf '%s 2^28\n%s 2^29\n' $type $type
    done
else
    cat "$3"
fi >"$build/traffic.cases" || fail "cannot write $build/traffic.cases"
while read -r type count || [ -n "$type" ]; do
    echo "$type $count" | grep -Eq '^[iuf](8|16|32|64) [0-9]+(\^[0-9]+)?$' ||
        fail "not a type and a count: $type $count"
    ncu --csv --print-units base --print-kernel-base function --replay-mode kernel \
        --clock-control none --metrics "$counters" --log-file "$log" \
        "$calibrate" cuda sort "$type" "$count" random tile </dev/null >/dev/null ||
        fail "ncu failed; its words are in $log"
    awk -v type="$type" -v count="$count" -v size=$((${type#[iuf]} / 8)) \
        -v counters="$counters" "$lines" "$log" >>"$out" ||
        fail "ncu has not measured everything; its words are in $log"
done <"$build/traffic.cases"
