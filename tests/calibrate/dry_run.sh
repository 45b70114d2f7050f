#!/bin/sh
# dry_run.sh SOURCE CALIBRATE - bench/calibrate.sh without a GPU: a profiler and a GPU
# are put in its way that know no more than the simulator. One counter is unknown to
# them, one has no value, and one is off by ten in one launch; each must show.
#
# Speaks TAP.
set -u
tree=$1
calibrate=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/build/tests/calibrate"
export CALIBRATE="$calibrate"

# A GPU that is the simulator, and keeps its counts to itself.
cat >"$work/build/tests/calibrate/calibrate" <<'SCRIPT'
#!/bin/sh
device=$1
shift
if [ "$1" = info ]; then
    printf 'name\tFake GPU\ndriver\t1.2\nprocessors\t132\narchitecture\t90\n'
elif [ "$device" = sim ]; then
    "$CALIBRATE" sim "$@"
elif [ "$1" = sort ]; then
    "$CALIBRATE" sim "$@" "${PLANTED_PROCESSORS:-132}" | cut -f1-8
else
    "$CALIBRATE" sim "$@" | cut -f1-8
fi
SCRIPT

# A profiler: the command's output goes its way, the counts go to the log file.
cat >"$work/bin/ncu" <<'SCRIPT'
#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    --version) echo "Version 0.0 (fake)"; exit 0 ;;
    --metrics) metrics=$2; shift 2 ;;
    --log-file) log=$2; shift 2 ;;
    --section) echo "source" >"$log"; exit 0 ;;
    --csv) shift ;;
    --*) shift 2 ;;
    *) break ;;
    esac
done
case $metrics in *data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum*)
    if echo "$metrics" | grep -q "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld"; then
        echo '==ERROR== Failed to find metric regex:^smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld\.(sum|min)$'
        exit 1
    fi ;;
esac
[ "${PLANTED_FAILURE:-0}" != 1 ] || exit 1
"$@"
shift 2
[ "$1" != sort ] || set -- "$@" 132
[ "${PLANTED_FAILURE:-0}" != 2 ] || { echo "==WARNING== No kernels were profiled." >"$log"; exit 0; }
{
    echo '==PROF== Connected to process 1'
    echo '"ID","Process ID","Kernel Name","Block Size","Grid Size","Section Name","Metric Name","Metric Unit","Metric Value"'
    "$CALIBRATE" sim "$@" | awk -F '\t' -v metrics="$metrics" '
    function commas(n, text) {
        for (text = ""; n >= 1000; n = int(n / 1000))
            text = sprintf(",%03d", n % 1000) text
        return n text
    }
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; count = split(metrics, metric, ","); next }
    {
        for (i = 1; i <= count; i++) {
            word = metric[i] ~ /_st\.|_write/ ? "_store_" : "_load_"
            what = metric[i] ~ /conflicts/ ? "conflicts" : metric[i] ~ /wavefronts/ ? "wavefronts" : metric[i] ~ /sectors/ ? "sectors" : metric[i] ~ /bytes/ ? "bytes" : "requests"
            where = metric[i] ~ /shared/ ? "shared" : metric[i] ~ /dram/ ? "memory" : "global"
            value = $column[where word what]
            if (metric[i] ~ /sass.*wavefronts.*_ld/ && $2 == "tile_sort")
                value += 10
            if (metric[i] ~ /lts__/)
                value -= int(value / 10)
            value = metric[i] ~ /pct_of_peak/ ? 60.25 + i : commas(value)
            if (metric[i] ~ /smsp__inst_executed_op_shared_ld/)
                value = "n/a"
            printf "\"%d\",\"1\",\"%s\",\"(%d, 1, 1)\",\"(%d, 1, 1)\",\"Command\",\"%s\",\"\",\"%s\"\n", $1, $2 "(args)", $7, $6, metric[i], value
        }
    }'
} >"$log"
SCRIPT
chmod +x "$work/bin/ncu" "$work/build/tests/calibrate/calibrate"

cat >"$work/cases" <<'ROWS'
i32 sort i32 20001 random heap,tile,pair
i64 sort i64 2100007 random tile
micro micro 0 400
ROWS

number=0
failed=0
check() { # WORDS COMMAND...
    words=$1
    shift
    number=$((number + 1))
    if "$@" >"$work/said" 2>&1; then
        echo "ok $number - $words"
    else
        echo "not ok $number - $words"
        sed 's/^/# /' "$work/said"
        failed=1
    fi
}

calibration() {
    PATH="$work/bin:$PATH" sh "$tree/bench/calibrate.sh" "$work/build" "$work/out" "$work/cases"
}
rows() { # FIELD-CONDITION: does any row fulfil it?
    awk -F '\t' "!/^#/ && \$1 != \"kernel\" && ($1) { found = 1 } END { exit !found }" \
        "$work/out/calibration.tsv"
}
none() {
    ! rows "$1"
}

check "all cases are joined" calibration
check "the header names machine and date" grep -q '^# machine: Fake GPU, driver 1.2, 132 multiprocessors$' "$work/out/calibration.tsv"
for kernel in heap_base heap_cut heap_merge tile_sort tile_merge tile_join pair_sort \
    pair_cut pair_merge shared_load shared_store global_load; do
    check "there are rows of $kernel" rows "\$1 == \"$kernel\""
done
check "memory reads every key of a pass" rows '$1 == "tile_sort" && $2 == "i64" && $6 == "memory_load_bytes" && $7 == 8 * $4 + 8 && $8 == $7'
check "and writes it" rows '$1 == "tile_sort" && $2 == "i64" && $6 == "memory_store_bytes" && $7 > 8 * $4 && $8 == $7'
check "what was planted shows" rows '$1 == "tile_sort" && $6 == "shared_load_wavefronts_by_instruction" && $8 == $7 + 10 && $9 < 0'
check "nothing else differs" none '$9 != "0.00" && $6 !~ /_at_l2/ && !($1 == "tile_sort" && $6 ~ /by_instruction/)'
check "an unknown counter is left out" \
    sh -c "! grep -q smsp__sass_l1tex_data_bank_conflicts.*_ld '$work/out/counters.tsv'"
check "another takes its place" grep -q \
    '^# shared_load_conflicts: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum' \
    "$work/out/calibration.tsv"
check "a counter without a value has no rows" sh -c "! grep -q smsp__inst_executed_op_shared_ld '$work/out/counters.tsv'"

# traffic.sh, with the same profiler, whose second cache saves a tenth.
traffic() { # CASE...
    printf '%s\n' "$@" >"$work/cases-of-traffic"
    PATH="$work/bin:$PATH" sh "$tree/bench/traffic.sh" "$work/build" "$work/out/traffic.tsv" \
        "$work/cases-of-traffic"
}
traffic_rows() { # NUMBER FIELD-CONDITION: do so many rows fulfil it?
    awk -F '\t' "!/^#/ && \$1 != \"type\" && ($2) { rows++ } END { exit rows != $1 }" \
        "$work/out/traffic.tsv"
}
refused() { # WORDS CASE...
    said=$1
    shift
    ! traffic "$@" && grep -q "$said" "$work/said"
}
check "traffic is told by launch" traffic 'i64 2100007' 'u16 2^15'
check "of all launches" traffic_rows 4 '$1 == "i64" && $2 == 2100007'
check "what is more than the keys" traffic_rows 4 \
    '$1 == "i64" && ($11 - 200 * ($5 + $6) / 2100007 + 100) ^ 2 < 0.0001 && $11 > 0'
check "the second cache by itself" traffic_rows 4 \
    '$1 == "i64" && ($12 + 100 - 200 * ($7 + $8) / 2100007) ^ 2 < 0.0001'
check "and memory" traffic_rows 4 \
    '$1 == "i64" && ($13 + 100 - 100 * ($9 + 32 * $8) / (16 * 2100007)) ^ 2 < 0.0001'
check "bytes that memory was written" traffic_rows 4 \
    '$1 == "i64" && $10 > 8 * 2100007 && $10 < 9 * 2100007'
check "what was kept busy" traffic_rows 4 \
    '$1 == "i64" && $14 == 67.25 && $15 == 68.25 && $19 == 72.25 && NF == 19'
check "a count may be a power" traffic_rows 1 \
    '$1 == "u16" && $2 == "2^15" && $4 == "tile_sort" && $5 == 2048 && $11 > 1 && $11 < 2'
check "traffic of something else is refused" refused 'not a type and a count: i32 20k' 'i32 20k'
export PLANTED_FAILURE=1
check "a profiler that fails is an error" refused 'ncu failed' 'i32 20001'
export PLANTED_FAILURE=2
check "and one that measures nothing" refused 'not measured everything' 'i32 20001'
unset PLANTED_FAILURE

# A GPU that was given another plan.
export PLANTED_PROCESSORS=1
other_plan() {
    ! calibration && grep -q 'i32 FAILED' "$work/said"
}
check "another plan is an error" other_plan
echo "1..$number"
exit $failed
