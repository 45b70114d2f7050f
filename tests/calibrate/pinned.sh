#!/bin/sh
# pinned.sh SOURCE CALIBRATE [RESULT...] - the simulator still counts what a GPU was seen to.
#
# RESULT is what bench/calibrate.sh wrote. Its simulator's side is counted again here,
# but for the largest sorts, whose columns are taken as they are. Then
#   - every figure of a micro-kernel of one warp must be what the GPU counted; with more
#     warps, of which the pipe now and then takes a turn more, within 2 %;
#   - of sorts, wavefronts of shared memory must be within 1 %, loads and stores together,
#     by either counter, and sectors within 2 %. Kernels that find cuts are left out, and
#     of tile_merge, whose blocks wait for cuts, sectors that it loads. The pipe's counter
#     may be 3 % off where four million keys keep the whole GPU busy.
# docs/simulator.md must show the tables of the last RESULT, and every awk that there is
# must make the same ones.
#
# Speaks TAP.
set -u
tree=$1
calibrate=$2
shift 2
if [ $# -eq 0 ]; then
    echo "ok 1 - calibrated values # SKIP no result is committed"
    echo "1..1"
    exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for result in "$@"; do
    last=$result
    awk -F '\t' '/^#/ || $1 == "kernel" || $4 < 1000000' "$result" >"$work/smaller"
    sh "$tree/bench/recount.sh" "$work/smaller" "$calibrate" || echo "failed" >>"$work/gone"
    awk -F '\t' '!/^#/ && $1 != "kernel" && $4 >= 1000000' "$result"
done >"$work/counted"
for awk in awk gawk mawk 'busybox awk'; do
    command -v "${awk%% *}" >/dev/null || continue
    $awk -f "$tree/bench/calibration_tables.awk" "$last" >"$work/tables" && [ -s "$work/tables" ] ||
        echo "what $awk should print"
    [ -e "$work/first" ] || cp "$work/tables" "$work/first"
    cmp -s "$work/first" "$work/tables" || echo "what awk prints, but not $awk"
    grep -vxF -f "$tree/docs/simulator.md" "$work/tables"
done >"$work/unsaid"

awk -F '\t' -v gone="$(cat "$work/gone" 2>/dev/null)" -v unsaid="$(head -n 3 "$work/unsaid")" '
function ok(passed, words) {
    printf "%sok %d - %s\n", passed ? "" : "not ", ++number, words
    failed += !passed
}
function beyond(sim, gpu, bar) {
    return sim - gpu > gpu * bar / 100 || gpu - sim > gpu * bar / 100
}
function judge(key, where, sim, gpu, bar) {
    cases[key]++
    if (beyond(sim, gpu, bar)) {
        print "# " key ", " where ": " sim ", the GPU " gpu
        wrong[key]++
    }
}
/^#/ || $1 == "kernel" {
    next
}
$1 ~ /_(load|store)$/ {
    judge($1 ", " $2 ", " $6, $3, $7, $8, $3 ~ /warps/ && $6 !~ /by_instruction/ ? 2 : 0)
    next
}
$1 !~ /_cut$/ && $6 ~ /shared_.*wavefronts|sectors$/ && !($1 == "tile_merge" && $6 ~ /load_sectors/) {
    sub(/_(load|store)/, "", $6)
    launch = $1 ", " $2 ", " $6 FS $3 ", " $4 " keys, launch " $5
    sim[launch] += $7
    gpu[launch] += $8
}
END {
    for (launch in sim) {
        split(launch, part, FS)
        split(part[2], input, ", ")
        judge(part[1], part[2], sim[launch], gpu[launch],
            part[1] !~ /wavefronts/ ? 2 : input[2] + 0 >= 4000000 && part[1] !~ /by_instruction/ ? 3 : 1)
    }
    for (key in cases)
        ok(!wrong[key], key ": " cases[key] " cases")
    ok(number > 0, "there are cases")
    ok(gone == "", "every launch is still made")
    ok(unsaid == "", "docs/simulator.md has the tables")
    if (unsaid != "")
        print "# it lacks: " unsaid
    print "1.." number
    exit failed > 0
}' "$work/counted"
