#!/usr/bin/env bash
# reproduction.sh SOURCE COMMAND BUILD - is docs/reproduction.md what the committed
# tables give, and do verdicts follow the numbers? Figures are drawn again where the
# matplotlib of bench/plots/requirements.txt is at hand.
#
# Speaks TAP.
# shellcheck disable=SC2016 # what is quoted is for awk
set -u

source_tree=$(cd "$1" && pwd)
command=$2
build=$3
plots=$source_tree/bench/plots
results=$source_tree/bench/results/reproduction
export PYTHONDONTWRITEBYTECODE=1

if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3 on this machine"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/say.sh
. "$source_tree/tests/say.sh"

# verdict ROW AWK TABLE...: what the page says of a claim if those tables are changed.
verdict() {
    local row=$1 change=$2 name
    shift 2
    rm -rf "$work/results"
    cp -r "$results" "$work/results"
    for name; do
        awk -F '\t' -v OFS='\t' "$change { print }" "$results/$name.tsv" \
            >"$work/results/$name.tsv"
        cmp -s "$results/$name.tsv" "$work/results/$name.tsv" && echo "$name is as before"
    done
    rm -f "$work/changed.md"
    python3 "$plots/reproduction.py" "$work/results" "$work/changed.md" >"$work/log" 2>&1 ||
        cat "$work/log"
    awk -F ' [|] ' -v row="| $row" '$1 == row { sub(/ [|]$/, "", $4); print $4 }' \
        "$work/changed.md"
}

claim() { # holds|ends NAME ROW AWK TABLE...: does it, with such numbers?
    local said
    said=$(verdict "${@:3}")
    case $1:$said in
    holds:holds | ends:'holds in part' | ends:'does not hold here') said= ;;
    *) said="the verdict is: $said" ;;
    esac
    say "$3 $1: $2" "$said"
}

python3 "$plots/reproduction.py" "$results" "$work/page.md" >/dev/null 2>"$work/log"
say "docs/reproduction.md is what the tables give: make figures" \
    "$(cat "$work/log"; diff "$source_tree/docs/reproduction.md" "$work/page.md" | head -n 20)"
say "the simulator counts what the tables say" \
    "$(python3 "$plots/counts.py" "$command" "$results" --check 50000 3 2>&1)"

# Whatever was measured, other numbers must get other words.
claim ends "one conflict" C1 '$1 == "heap" && $2 == "u8" { $9 = 1 }' sim-claims
claim ends "requests beyond the formula" C2 '$4 == 1048576 { $22 = $21 - 1 }' sim-claims
claim ends "sectors beyond the formula" C3 '$1 == "heap" { $22 = $21 - 1 }' sim-claims
claim ends "four bytes to spare" C4 '$1 == "heap" { $19 += 4 }' sim-claims
claim holds "quick cuts" C5 '$6 == "heap_cut" { $9 /= 1000 }' fig4-launches-i32
claim ends "slow cuts" C5 '$6 == "heap_cut" { $9 *= 1000 }' fig4-launches-i32
claim holds "all shapes alike" C6 '$4 == "heap" { $6 = 5 }' shapes-i32
claim ends "one slow shape" C6 '$2 == "organ" && $4 == "heap" { $6 *= 2 }' shapes-i32
claim holds "hurt libraries" C7 '$4 ~ /cub|thrust|mod|heap/ { $6 = $2 ~ /con/ && $4 != "heap" ? 9 : 5 }' \
    fig6-conflict-i32 fig6-conflict-moderngpu
claim ends "a hurt heap" C7 '$2 ~ /conflict/ && $4 == "heap" { $6 *= 2 }' fig6-conflict-i32
claim holds "the best K is 32" C8 '$4 ~ /^heap/ { split($4, name, ":"); $6 = 100 / name[2] }' fig2-ways
claim ends "a fast K = 2" C8 '$4 ~ /^heap:2:/ { $6 /= 10 }' fig2-ways
claim holds "slow merges" C9 '$6 == "heap_merge" { $9 *= 1000 }' fig4-launches-i32
claim ends "slow base cases" C9 '$6 == "heap_base" { $9 *= 1000 }' fig4-launches-i32
claim holds "a fast heap" C10 '$4 == "heap" { $6 /= 100 }' fig4-random-i32 fig6-conflict-i32 \
    fig6-conflict-moderngpu
claim ends "a fast Thrust" C10 '$4 == "thrust" { $6 /= 100 }' fig4-random-i32 fig6-conflict-i32

python=
for candidate in "$build/plots/bin/python" python3; do
    "$candidate" - "$plots/requirements.txt" 2>/dev/null <<'EOF' && python=$candidate && break
import sys, matplotlib
sys.exit(f"matplotlib=={matplotlib.__version__}" not in open(sys.argv[1]).read().split())
EOF
done
if [ -z "$python" ]; then
    number=$((number + 1))
    echo "ok $number - figures are what the tables give # SKIP no such matplotlib"
else
    said=$("$python" "$plots/figures.py" "$results" "$work/figures" 2>&1 >/dev/null)
    say "figures are what the tables give: make figures" \
        "$said$(diff -rq -x tile.svg "$source_tree/docs/figures" "$work/figures")"
fi
echo "1..$number"
exit $failed
