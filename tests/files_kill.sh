#!/usr/bin/env bash
# files_kill.sh MULTIWAY KILLS TERMS [FOLDER] - sorts that are killed at random moments.
#
# KILLS times by SIGKILL, TERMS times by SIGTERM, half of them while the output replaces a
# file. After each one: no partial file under the output's name, no temporary file but one
# .multiway-*.tmp beside the output, which the next run removes, and the input untouched.
#
# Speaks TAP.
set -u

multiway=$(realpath "$1")
kills=$2
terms=$3
# shellcheck source=tests/say.sh
. "$(dirname "$0")/say.sh"
folder=$(mktemp -d "${4:-${TMPDIR:-/tmp}}/multiway-kill.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
sort_records() { # OUTPUT: 30 MB by 8 MiB, in four runs or more
    exec "$multiway" sort -q --record 100 --key 0:bytes:10 --device cpu:2 -S 8M -o "$1" in
}

"$multiway" gen --record 100 --key 0:bytes:10 --count 300k -o in
(sort_records expected)
sum=$(cksum <in)
started=$(date +%s%N)
(sort_records timing)
span=$((($(date +%s%N) - started) / 1000000 + 1))
rm timing
mkdir out

broken='' # what was wrong, and after which kill
try() { # SIGNAL NUMBER
    local left found=absent
    [ $(($2 % 2)) = 0 ] || echo old >out/sorted
    sort_records out/sorted 2>/dev/null &
    sleep "$(printf '0.%03d' $((RANDOM % (span < 999 ? span : 999))))"
    kill -"$1" $! 2>/dev/null
    wait $! 2>/dev/null
    if [ -e out/sorted ]; then
        cmp -s out/sorted expected && found=new
        [ "$(cat out/sorted 2>/dev/null | head -c 4)" = old ] && found=old
        [ "$found" != absent ] || broken+="$1 $2: a partial output"$'\n'
    elif [ $(($2 % 2)) = 1 ]; then
        broken+="$1 $2: the old output is gone"$'\n'
    fi
    left=$(find out -name '.multiway-*' | wc -l)
    [ "$left" -le 1 ] || broken+="$1 $2: $left temporary files"$'\n'
    [ "$1" = KILL ] || [ "$left" = 0 ] || broken+="$1 $2: a temporary file"$'\n'
    [ "$(find . -maxdepth 1 | sort | tr '\n' ' ')" = '. ./expected ./in ./out ' ] ||
        broken+="$1 $2: other files"$'\n'
    seen[$found]=$((${seen[$found]:-0} + 1))
    rm -f out/sorted
}

declare -A seen
for ((i = 0; i < kills; i++)); do try KILL $i; done 2>/dev/null
for ((i = 0; i < terms; i++)); do try TERM $i; done 2>/dev/null
say "$kills kills and $terms terms: ${seen[new]:-0} new, ${seen[old]:-0} old, ${seen[absent]:-0} absent" "$broken"
say "the input is untouched" "$([ "$(cksum <in)" = "$sum" ] || echo changed)"
: >out/.multiway-1-0.tmp
(sort_records out/sorted)
say "the next run removes what is left, and sorts" "$(cmp out/sorted expected 2>&1
    find out -name '.multiway-*')"
echo "1..$number"
exit $failed
