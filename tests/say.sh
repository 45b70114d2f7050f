# say.sh - for tests in bash to source: say NAME COMPLAINTS is one case in TAP, passed if
# there are no complaints, skip NAME WHY one that this machine cannot run; `number` counts
# the cases, `failed` is 1 once one has failed.
number=0
failed=0

say() {
    number=$((number + 1))
    if [ -z "$2" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        echo "# ${2//$'\n'/$'\n'# }"
        failed=1
    fi
}

skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}
