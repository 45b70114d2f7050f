#!/bin/sh
# calibrate.sh [BUILD [OUT [CASES]]] - hold the simulator against Nsight Compute.
#
# On a machine with a GPU and ncu, after `cmake --build BUILD --target calibrate`:
# run every kernel of every engine, and micro-kernels that make one kind of access,
# under the profiler and in the simulator, with the same input and the same plan, and
# write to OUT (BUILD/calibration)
#
#   calibration.tsv   a line for each launch and figure, by the best counter there is
#   counters.tsv      the same by every counter that was asked for
#   source.txt        wavefronts and sectors by machine instruction, for explanations
#   raw.tar.gz        what all this was made of: BUILD/calibration-raw
#
# It takes a few minutes. Each case is joined when it is done, so that an early end
# costs the rest and no more; SECONDS_MOST says when no further case is begun. CASES is
# a file with other cases, in lines like those below. COMMIT names what was measured if
# git cannot. recount.sh re-makes the simulator's side of a result without a GPU.
set -u

build=${1:-build}
out=${2:-$build/calibration}
most=${SECONDS_MOST:-210}
tree=$(cd "$(dirname "$0")/.." && pwd)
calibrate=$build/tests/calibrate/calibrate
begin=$(date +%s)

fail() {
    echo "calibrate.sh: $*" >&2
    exit 1
}

say() {
    echo "$(($(date +%s) - begin)) s: $*"
}

[ -x "$calibrate" ] || fail "no $calibrate: cmake --build $build --target calibrate"
command -v ncu >/dev/null || fail "no ncu on the PATH"
raw=$build/calibration-raw
rm -rf "$raw"
mkdir -p "$raw" "$out" || fail "cannot make $raw and $out"

# What is counted, and the counters that measure it, the best first. Those of l1tex are
# of the memory pipe; now and then it takes a turn more because of what other warps do.
# Those of sass are worked out from addresses, instruction by instruction: they know no
# other warps, and they are wrong where a wide load has conflicts and neighbours agree.
# Bytes of memory are beside those of distinct sectors: caches are empty when a launch
# begins, but what it writes may stay in the second one.
cat >"$raw/wanted" <<'ROWS'
shared_load_requests	smsp__sass_inst_executed_op_shared_ld.sum
shared_load_requests	smsp__inst_executed_op_shared_ld.sum
shared_store_requests	smsp__sass_inst_executed_op_shared_st.sum
shared_store_requests	smsp__inst_executed_op_shared_st.sum
shared_load_wavefronts	l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
shared_load_wavefronts	smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
shared_store_wavefronts	l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
shared_store_wavefronts	smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum
shared_wavefronts	smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum
shared_wavefronts	memory_l1_wavefronts_shared
shared_wavefronts	l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
shared_ideal	memory_l1_wavefronts_shared_ideal
shared_load_conflicts	smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
shared_load_conflicts	l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
shared_store_conflicts	smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
shared_store_conflicts	l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
global_load_requests	l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
global_load_requests	smsp__sass_inst_executed_op_global_ld.sum
global_store_requests	l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
global_store_requests	smsp__sass_inst_executed_op_global_st.sum
global_load_sectors	l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
global_load_sectors	lts__t_sectors_srcunit_tex_op_read.sum
global_store_sectors	l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
global_store_sectors	lts__t_sectors_srcunit_tex_op_write.sum
global_sectors	memory_l2_theoretical_sectors_global
memory_load_bytes	dram__bytes_read.sum
memory_store_bytes	dram__bytes_write.sum
ROWS

list_metrics() {
    cut -f2 "$raw/metrics" | paste -sd, -
}

# profile NAME ARGUMENT...: one run of calibrate under the profiler.
profile() {
    name=$1
    shift
    ncu --csv --print-units base --print-kernel-base function --replay-mode kernel \
        --clock-control none --metrics "$(list_metrics)" --log-file "$raw/$name.csv" \
        "$calibrate" cuda "$@" >"$raw/$name.gpu" 2>"$raw/$name.err"
}

# A profiler refuses names it does not know: leave out the first it complains of, and
# so on; if it complains of none by name, ask for one after the other.
choose_metrics() {
    cp "$raw/wanted" "$raw/metrics"
    while [ -s "$raw/metrics" ]; do
        if profile probe micro 0 0 && grep -q '^"*0"*,' "$raw/probe.csv"; then
            return 0
        fi
        unknown=$(cat "$raw/probe.csv" "$raw/probe.gpu" "$raw/probe.err" 2>/dev/null | tr -d '\\' |
            sed -n 's/.*ailed to find metric[^a-z]*\(regex:\)*^*\([a-z0-9_]*\).*/\2/p' |
            head -n 1)
        [ -n "$unknown" ] || break
        say "no counter $unknown"
        grep -v "	$unknown\(\.\|\$\)" "$raw/metrics" >"$raw/fewer"
        cmp -s "$raw/fewer" "$raw/metrics" && break
        mv "$raw/fewer" "$raw/metrics"
    done
    : >"$raw/good"
    while IFS= read -r row; do
        printf '%s\n' "$row" >"$raw/metrics"
        profile probe micro 0 0 </dev/null && grep -q '^"*0"*,' "$raw/probe.csv" &&
            printf '%s\n' "$row" >>"$raw/good"
    done <"$raw/wanted"
    mv "$raw/good" "$raw/metrics"
    [ -s "$raw/metrics" ]
}

# The cases, the most telling first: a name, and what calibrate is given.
cat >"$raw/cases" <<'ROWS'
i32 sort i32 2^20 random heap,tile,pair
i64 sort i64 2^20 random heap,tile,pair
large4 sort i32 2^23 random tile
large8 sort i64 2^22 random tile
micro0 micro 0 69
micro1 micro 70 139
micro2 micro 140 209
u16 sort u16 300007 random heap,tile,pair
u8 sort u8 300007 random heap,tile,pair
conflict4 sort i32 278528 conflict:17,256 heap,tile,pair
conflict8 sort i64 262144 conflict:8,256,worst heap,tile,pair
micro3 micro 210 279
micro4 micro 280 349
micro5 micro 350 419
micro6 micro 420 489
micro7 micro 490 559
micro8 micro 560 629
organ sort u64 200003 organ heap,tile,pair
ROWS
[ $# -lt 3 ] || cp "$3" "$raw/cases" || fail "no $3"

"$calibrate" cuda info >"$raw/info" || fail "no GPU"
info() {
    sed -n "s/^$1	//p" "$raw/info"
}
processors=$(info processors)
commit=${COMMIT:-$(git -C "$tree" rev-parse --short HEAD 2>/dev/null || echo unknown)}

# The simulator needs no GPU: all of its runs now, beside the profiler's.
say "the simulator begins"
while read -r name what rest || [ -n "$name" ]; do
    set -- $what $rest
    [ "$what" = sort ] && set -- "$@" "$processors"
    "$calibrate" sim "$@" >"$raw/$name.sim" 2>"$raw/$name.sim.err" &
done <"$raw/cases"

choose_metrics || fail "ncu measures nothing; its words are in $raw/probe.csv and probe.err"
say "$(wc -l <"$raw/metrics") counters"

# Everything that was joined so far, under a header.
columns='kernel	type	input	count	launch	figure'
results='simulator	ncu	difference_percent'
header() {
    echo "# the simulator's counts against Nsight Compute's"
    echo "# machine: $(info name), driver $(info driver), $processors multiprocessors"
    echo "# profiler: $(ncu --version | sed -n 's/^Version //p' | head -n 1)"
    echo "# date: $(date -u +%Y-%m-%d)"
    echo "# commit: $commit"
    echo "# command: sh bench/calibrate.sh"
}
# Of a sort all figures, and sectors also as the second cache sees them; of a micro-kernel
# those that it is made for; wavefronts of many warps by both counters.
kept='
function is_micro() { return $1 ~ /_(load|store)$/ }
$6 !~ /_(load|store)_/ || (is_micro() && index($6, $1) != 1) { next }
$8 == 2 && $6 ~ /^shared.*wavefronts/ && (!is_micro() || $3 ~ /warps/) {
    $6 = $6 "_by_instruction"
    $8 = 1
}
$8 == 2 && $6 ~ /^global.*sectors/ && !is_micro() {
    $6 = $6 "_at_l2"
    $8 = 1
}
$8 == 1'
write_results() {
    {
        header
        awk -F '\t' -v OFS='\t' "$kept" "$raw/joined" >"$raw/kept"
        awk -F '\t' '!seen[$6]++ { print "# " $6 ": " $7 }' "$raw/kept"
        echo "# what both count as 0 is left out"
        printf '%s\t%s\n' "$columns" "$results"
        cut -f1-6,9- "$raw/kept"
    } >"$out/calibration.tsv"
    {
        header
        printf '%s\tcounter\t%s\n' "$columns" "$results"
        cut -f1-7,9- "$raw/joined"
    } >"$out/counters.tsv"
}

: >"$raw/joined"
join_case() {
    awk -f "$tree/bench/calibrate.awk" "$raw/metrics" "$raw/$1.sim" "$raw/$1.gpu" \
        "$raw/$1.csv" >"$raw/$1.joined" 2>>"$raw/$1.err" || return 1
    cat "$raw/$1.joined" >>"$raw/joined"
    write_results
}

wait
say "the simulator is done"
bad=0
while read -r name what rest || [ -n "$name" ]; do
    if [ $(($(date +%s) - begin)) -gt "$most" ]; then
        say "$name is left out: no time"
        bad=1
        continue
    fi
    set -- $what $rest
    if profile "$name" "$@" </dev/null && join_case "$name"; then
        say "$name: $(($(wc -l <"$raw/$name.sim") - 1)) launches"
    else
        say "$name FAILED: $(tail -n 1 "$raw/$name.err")"
        bad=1
    fi
done <"$raw/cases"

# By machine instruction: each kernel once or twice, keys of 4 and 8 bytes. Only the
# instructions that access memory are kept.
by_instruction() {
    ncu --page source --csv --print-units base --section SourceCounters \
        --clock-control none --launch-count 3 --log-file "$raw/source.csv" "$@" \
        "$calibrate" cuda sort $type 2^18 random $engine >/dev/null 2>>"$raw/source.err"
}
: >"$out/source.txt"
for type in i32 i64; do
    for engine in tile pair heap; do
        [ $(($(date +%s) - begin)) -gt "$most" ] && continue
        by_instruction --print-source sass || by_instruction
        {
            echo "== $type $engine"
            grep -E -e '(LDS|STS|LDG|STG|LDL|STL|SHFL)' -e '^"?[^"0-9]' "$raw/source.csv"
        } >>"$out/source.txt" 2>/dev/null
        say "source of $engine, $type"
    done
done

# The worst of each kernel and figure, for the terminal.
awk -F '\t' '!/^#/ && $1 != "kernel" {
    key = $1 "\t" $2 "\t" $6
    size = $9 == "-" ? 1e9 : $9 < 0 ? -$9 : $9 + 0
    if (!(key in worst) || size > worst[key]) {
        worst[key] = size
        line[key] = $9 " % at " $3 ", launch " $5 ": " $7 " and " $8
    }
    all[key]++
    same[key] += size == 0
} END {
    for (key in worst)
        print key "\t" same[key] " of " all[key] " equal; worst " line[key]
}' "$out/calibration.tsv" | sort | tee "$raw/summary"
tar -czf "$out/raw.tar.gz" -C "$raw" . || say "no raw.tar.gz"
say "done: $out/calibration.tsv"
exit $bad
