#!/bin/sh
# recount.sh RESULT [CALIBRATE] - what bench/calibrate.sh wrote, with the simulator's side
# counted anew.
#
# Prints RESULT with the columns `simulator` and `difference_percent` as they are with
# today's simulator and kernels; what the profiler measured stays. It needs no GPU.
# CALIBRATE is the program, build/tests/calibrate/calibrate if not given. A launch that
# is not made any more is an error, unless it only found cuts: then its lines are left out.
set -u

result=${1:?usage: recount.sh RESULT [CALIBRATE]}
calibrate=${2:-build/tests/calibrate/calibrate}
counts=$(mktemp) || exit 1
trap 'rm -f "$counts"' EXIT

processors=$(sed -n 's/^# machine: .* \([0-9]*\) multiprocessors$/\1/p' "$result")
[ -n "$processors" ] || {
    echo "recount.sh: $result names no number of multiprocessors" >&2
    exit 1
}

# The sorts of the result, each once: type, count and shape.
sorts=$(awk -F '\t' '!/^#/ && $1 != "kernel" && $1 !~ /_(load|store)$/ {
    if (!seen[$2, $3, $4]++)
        print $2, $4, $3
}' "$result")

"$calibrate" sim micro >"$counts" || exit 1
echo "$sorts" | while read -r type count shape; do
    [ -n "$shape" ] || continue
    "$calibrate" sim sort "$type" "$count" "$shape" heap,tile,pair "$processors" ||
        exit 1
done >>"$counts" || exit 1

# A launch is known by its kernel and its number among those of this kernel.
awk -F '\t' -v OFS='\t' '
function percent(sim, gpu) {
    if (sim == gpu)
        return "0.00"
    return gpu == 0 ? "-" : sprintf("%.2f", 100 * (sim - gpu) / gpu)
}
FNR == 1 {
    file++
}
file == 1 && $1 == "number" {
    for (i = 9; i <= NF; i++)
        head[i] = $i
    next
}
file == 1 {
    nth = ++launches[$2, $3, $4, $5]
    for (i = 9; i <= NF; i++)
        now[$2, $3, $4, $5, nth, head[i]] = $i
    next
}
/^#/ || $1 == "kernel" {
    print
    next
}
{
    of_kernel = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4
    if (!((of_kernel, $5) in number))
        number[of_kernel, $5] = ++seen[of_kernel]
    figure = $6
    sub(/_(by_instruction|at_l2)$/, "", figure)
    key = of_kernel SUBSEP number[of_kernel, $5] SUBSEP figure
    if (key in now) {
        $7 = now[key]
        $9 = percent($7, $8)
        print
    } else if ($1 !~ /_cut$/) {
        print "recount.sh: no launch " $5 " of " $1 ", " $2 ", " $3 >"/dev/stderr"
        failed = 1
    }
}
END {
    exit failed
}' "$counts" "$result"
