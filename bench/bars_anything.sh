# shellcheck shell=bash disable=SC2154 # sourced by bars.sh, which has the variables
# bars_anything.sh - the bars of pairs, records and argsort, on an H200:
#
#   table     each kind beside CUB at its count
#   counts    no count from 2^10 on is slower than CUB's merge sort
#   shapes    no shape is, and none takes more than 1.5 times as long as random rows
#   memory    workspace of each kind
#   torch     argsort beside torch.argsort
#   keys      keys only: not slower than the older version
#   jobs      random small jobs against a reference, on cuda, cpu and sim
#   text      the first use of an order from text, cold and from the disk cache
#   sanitize  the four tools of compute-sanitizer on every kernel
#   size      the library's bytes, and the time of a fresh build on two cores

narrow=p44,p88,p48,p84,r16,x16,a32,a64 # rows of up to 16 bytes
wide=r32,r100

run_anything() { # FILE OPTION...: adds to $work/FILE.tsv
    local file=$work/$1.tsv
    shift
    "$build/bench/multiway-anything" "$@" >>"$file" 2>"$work/complaints" ||
        tail -n 3 "$work/complaints" >&2
}

cell() { # FILE KIND COUNT COLUMN: of random rows; nothing unless the result was right
    awk -F'\t' -v kind="$2" -v count="$3" -v column="$4" '
        $1 == "kind" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 == kind && $2 == count && $3 == "random" && $at["verdict"] == "ok" {
            print $at[column] }' "$work/$1.tsv"
}

at_least() { # FIGURE BAR: no figure is no
    awk -v figure="$1" -v bar="$2" 'BEGIN { exit !(figure + 0 > 0 && figure + 0 >= bar) }'
}

one_bar() { # KIND POWER RIVAL BAR: CUB / ours at 2^POWER, random
    local count=$((1 << $2)) ratio ms
    ratio=$(cell table "$1" "$count" "ratio_$3") ms=$(cell table "$1" "$count" ours_ms)
    judge table "$1 2^$2, CUB $3 / ours: ${ratio:-none} ($4), ours ${ms:-none} ms" \
        at_least "${ratio:-0}" "$4"
}

anything_table() {
    local ratio
    run_anything table --kind $narrow --count 2^27 --trials 10
    run_anything table --kind r32,o32 --count 2^26 --trials 10
    run_anything table --kind r100,o100 --count 2^24 --trials 10
    run_anything table --kind p44 --count 2^16,2^20,2^24 --trials 100
    while read -r kind power rival bar; do
        one_bar "$kind" "$power" "$rival" "$bar"
    done <<'BARS'
p44 27 merge 2.15
p88 27 merge 3.2
p88 27 radix 1.7
p48 27 merge 2.4
p84 27 merge 2.7
r16 27 merge 4.0
r32 26 merge 7
r32 26 radix 1
o32 26 merge 7
o32 26 radix 1
r100 24 merge 60
r100 24 radix 1
o100 24 radix 1
x16 27 merge 1.5
a32 27 merge 2.2
a64 27 merge 2.8
p44 16 merge 1.5
p44 20 merge 1.8
p44 24 merge 2.1
BARS
    ratio=$(cell table p44 $((1 << 27)) ratio_radix)
    if at_least "${ratio:-0}" 1; then
        tell table "p44 2^27, CUB radix / ours: $ratio (moonshot: 1)" holds
    else
        tell table "p44 2^27, CUB radix / ours: ${ratio:-none} (moonshot: 1)" "not yet"
    fi
}

beside_merge() { # BAR: are all results right, and where is the least ratio to CUB's?
    local cases bad least where
    read -r cases bad least where < <(awk -F'\t' '
        $1 == "kind" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        /^#/ { next }
        { n++ }
        $at["verdict"] != "ok" { bad++; next }
        !least || $at["ratio_merge"] < least {
            least = $at["ratio_merge"]; where = $1 ", " $2 ", " $3 }
        END { print n + 0, bad + 0, least + 0, where }' "$work/$1.tsv")
    judge "$1" "$cases cases: $bad wrong, failed or not served (none)" \
        [ "$cases" -gt 0 -a "$bad" = 0 ]
    judge "$1" "CUB merge / ours: at least $least ($where) (1)" at_least "$least" 1
}

anything_counts() {
    run_anything counts --kind $narrow --count 2^10..2^19 --trials 50
    run_anything counts --kind $narrow --count 2^20..2^28 --trials 5
    run_anything counts --kind $wide --count 2^10..2^24 --trials 3
    beside_merge counts
}

anything_shapes() {
    local worst where
    run_anything shapes --kind $narrow --count 2^14 --shape all --trials 50
    run_anything shapes --kind $narrow --count 2^20,2^26 --shape all --trials 7
    run_anything shapes --kind $wide --count 2^14,2^20,2^24 --shape all --trials 3
    beside_merge shapes
    read -r worst where < <(awk -F'\t' '
        $3 == "random" && $4 > 0 { random[$1, $2] = $4 }
        $3 != "random" && $4 > 0 && random[$1, $2] && $4 / random[$1, $2] > worst {
            worst = $4 / random[$1, $2]; where = $1 ", " $2 ", " $3 }
        END { printf "%.3f %s\n", worst, where }' "$work/shapes.tsv")
    judge shapes "slowest shape / random: $worst ($where) (1.5)" \
        awk -v worst="$worst" 'BEGIN { exit !(worst > 0 && worst <= 1.5) }'
}

# In place 1.25 times the rows, and 4 bytes a row where positions travel; argsort 2.25
# times the keys and 1.25 times the positions. From 2^20 rows on, but for 64 KiB.
anything_memory() {
    local cases most where
    run_anything memory --count 2^20,2^24,2^27 --trials 1 --without-rivals
    read -r cases most where < <(awk -F'\t' '
        BEGIN {
            split("p44 8 p88 16 p48 12 p84 12 r16 16 x16 16 r32 32 r100 100 a32 8 a64 12", row, " ")
            for (i = 1; row[i]; i += 2) { bytes[row[i]] = row[i + 1]; most[row[i]] = 1.25 }
            most["r32"] += 4 / 32; most["r100"] += 4 / 100
            most["a32"] = 1.75; most["a64"] = 23 / 12
        }
        $1 in bytes && $2 >= 2 ^ 20 && $9 != "-" {
            n++
            over = ($9 - 65536 / ($2 * bytes[$1])) / most[$1]
            if (over > worst) { worst = over; where = $1 ", " $2 ": " $9 } }
        END { printf "%d %.3f %s\n", n, worst, where }' "$work/memory.tsv")
    judge memory "workspace / what it may be, $cases cases: $most ($where) (1)" \
        awk -v n="$cases" -v most="$most" 'BEGIN { exit !(n > 0 && most <= 1.0005) }'
}

anything_torch() {
    local kind ms torch ratio bar
    python3 -c 'import torch' 2>/dev/null || { tell torch "no torch here" skipped; return; }
    [ -s "$work/table.tsv" ] || run_anything table --kind a32,a64 --count 2^27 --trials 10
    python3 bench/torch_argsort.py $((1 << 27)) >"$work/torch.tsv"
    while read -r kind bar; do
        torch=$(awk -v kind="$kind" '$1 == kind { print $4 }' "$work/torch.tsv")
        ms=$(cell table "$kind" $((1 << 27)) ours_ms)
        ratio=$(awk -v a="${torch:-0}" -v b="${ms:-0}" 'BEGIN { printf "%.3f", (b > 0 ? a / b : 0) }')
        judge torch "$kind 2^27, torch.argsort ${torch:-none} ms / ours: $ratio ($bar)" \
            at_least "$ratio" "$bar"
    done <<<$'a32 1\na64 1.8'
}

# The jobs of a device in some processes side by side. Job i of a seed is job 0 of seed + i.
start_jobs() { # DEVICE PROCESSES COUNT
    local each=$(($3 / $2)) i
    for ((i = 0; i < $2; i++)); do
        { timeout 420 "$build/tests/anything" "$1" $((1 + i * each)) $each \
            >"$work/jobs-$1-$i.log" 2>&1; echo $? >"$work/jobs-$1-$i.status"; } &
    done
}

anything_jobs() {
    local device count processes failures
    [ -x "$build/tests/anything" ] || { tell jobs "no tests/anything" skipped; return; }
    export MULTIWAY_TEST_CACHE=$work/kernels
    start_jobs cuda 8 100000
    start_jobs cpu 4 100000
    start_jobs sim 8 10000
    wait
    while read -r device count processes; do
        failures=$(cat "$work"/jobs-"$device"-*.status | grep -cv '^0$')
        judge jobs "$count random jobs on $device: $failures of $processes processes failed (none)" \
            [ "$failures" = 0 ]
        grep -h '^not ok' "$work"/jobs-"$device"-*.log | head -n 3
    done <<<$'cuda 100000 8\ncpu 100000 4\nsim 10000 8'
}

anything_text() {
    local open cold warm
    cmake --build "$build" --target multiway_first_use >"$work/log" 2>&1 || return
    read -r open cold < <("$build/bench/multiway_first_use" --text cuda 2^20 "$work/texts" |
        awk 'NR == 2 { print $1, $2 }')
    read -r open warm < <("$build/bench/multiway_first_use" --text cuda 2^20 "$work/texts" |
        awk 'NR == 2 { print $1, $2 }')
    judge text "an order from text, cold: ${cold:-none} ms beyond opening (2000)" \
        at_least 2000 "${cold:-9999}"
    judge text "from the disk cache: ${warm:-none} ms beyond opening, ${open:-none} (30)" \
        at_least 30 "${warm:-9999}"
}

sanitize_jobs() { # every kernel under each tool
    local tool sanitizer=/usr/local/cuda/bin/compute-sanitizer
    sanitizer=$(command -v compute-sanitizer || echo $sanitizer)
    if [ ! -x "$sanitizer" ] || [ ! -x "$build/tests/tour_jobs" ]; then
        tell sanitize "no compute-sanitizer, or no tests/tour_jobs" skipped
        return
    fi
    for tool in memcheck racecheck initcheck synccheck; do
        { timeout 300 "$sanitizer" --tool $tool --error-exitcode 9 \
            "$build/tests/tour_jobs" cuda >"$work/$tool.log" 2>&1
            echo $? >"$work/$tool.status"; } &
    done
    wait
    for tool in memcheck racecheck initcheck synccheck; do
        judge sanitize "$tool, every kernel: exit status $(cat "$work/$tool.status"), $(
            grep -E 'SUMMARY' "$work/$tool.log" | tail -n 1 | sed 's/=* *//')" \
            [ "$(cat "$work/$tool.status")" = 0 ]
    done
}

anything_size() {
    local begin seconds bytes cores=0,1
    begin=$(date +%s)
    cmake -S . -B "$work/fresh" >"$work/log" 2>&1
    if ! taskset -c $cores cmake --build "$work/fresh" -j 2 >>"$work/log" 2>&1; then
        tail -n 5 "$work/log" >&2
        tell size "a fresh build fails" missed
        return
    fi
    seconds=$(($(date +%s) - begin))
    bytes=$(stat -Lc %s "$work/fresh/src/libmultiway.so")
    judge size "libmultiway.so: $bytes bytes, images for $(
        sed -n 's/^MW_ARCHITECTURES:.*=//p' "$work/fresh/CMakeCache.txt") (40000000)" \
        [ "$bytes" -le 40000000 ]
    judge size "a fresh build on cores $cores: $seconds s (240)" [ "$seconds" -le 240 ]
}

anything() {
    local part
    if nvidia-smi -L >/dev/null 2>&1; then
        cmake --build "$build" --target multiway-anything -j "$(nproc)" >"$work/log" 2>&1 || {
            tail -n 5 "$work/log" >&2
            exit 2
        }
        for part in table counts shapes memory torch jobs text; do
            ! wanted $part || anything_$part
        done
        ! wanted sanitize || sanitize_jobs
        if wanted keys; then
            cmake --build "$build" --target multiway-rivals -j "$(nproc)" >"$work/log" 2>&1
            old_beside_new keys
        fi
    else
        for part in table counts shapes memory torch jobs text sanitize keys; do
            ! wanted $part || tell $part "no GPU" skipped
        done
    fi
    ! wanted size || anything_size
}
