#!/bin/sh
# pinned.sh CALIBRATE [RESULT...] - the simulator still counts what a GPU was seen to.
#
# RESULT is what bench/calibrate.sh wrote. Every request, wavefront and sector of its
# micro-kernels must be what the simulator counts today and what the GPU counted; of
# its sorts, wavefronts of shared memory within 1 % and sectors within 2 %.
#
# Speaks TAP.
set -u
calibrate=$1
shift
if [ $# -eq 0 ]; then
    echo "ok 1 - calibrated values # SKIP no result is committed yet"
    echo "1..1"
    exit 0
fi
"$calibrate" sim micro >"${TMPDIR:-/tmp}/pinned.$$" || exit 1
trap 'rm -f "${TMPDIR:-/tmp}/pinned.$$"' EXIT
awk -F '\t' '
function ok(passed, words) {
    printf "%sok %d - %s\n", passed ? "" : "not ", ++number, words
    failed += !passed
}
FNR == 1 {
    file++
}
file == 1 && FNR == 1 {
    for (i = 1; i <= NF; i++)
        head[i] = $i
}
file == 1 {
    for (i = 9; i <= NF; i++)
        now[$2, $3, $4, head[i]] = $i
    next
}
/^#/ || $1 == "kernel" {
    next
}
$1 ~ /_(load|store)$/ && $6 !~ /conflicts/ {
    key = $1 ", " $2 ", " $6
    cases[key]++
    if (now[$1, $2, $3, $6] "" != $7 "") {
        print "# " key ", " $3 ": " now[$1, $2, $3, $6] " and no longer " $7
        wrong[key]++
    }
    if ($7 != $8) {
        print "# " key ", " $3 ": the GPU counted " $8 ", not " $7
        wrong[key]++
    }
}
$1 !~ /_(load|store)$/ && $6 ~ /shared_.*wavefronts|sectors/ && $1 !~ /_cut$/ {
    key = $1 ", " $2 ", " $6
    cases[key]++
    bar = $6 ~ /wavefronts/ ? 1 : 2
    if ($9 == "-" || $9 > bar || $9 < -bar) {
        print "# " key ", " $3 ", launch " $5 ": " $7 ", the GPU " $8
        wrong[key]++
    }
}
END {
    for (key in cases)
        ok(!wrong[key], key ": " cases[key] " cases")
    if (number == 0)
        ok(0, "there are cases")
    print "1.." number
    exit failed > 0
}' "${TMPDIR:-/tmp}/pinned.$$" "$@"
