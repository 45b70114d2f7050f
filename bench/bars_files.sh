# shellcheck shell=bash disable=SC2154 # sourced by bars.sh, which has the variables
# bars_files.sh - the bars of files larger than memory, on two cores and one disk:
#
#   records  100-byte records by 10 bytes in 256 MiB, and in memory
#   keys     u64 keys in 256 MiB, and in memory
#   budget   address space, peak disk and bytes moved
#   kills    SIGKILL and SIGTERM at random moments; every k-th call failing
#   gpu      records larger than the memory allowed, and keys in memory beside version 0.1
#   places   the disk, overlayfs on it, tmpfs, and folders that PLACES names
#
# Each figure is a median of RUNS (3), contestants in turn. Files are removed afterwards.
#
#   FOLDER   on the disk to measure, 30 GB free (TMPDIR or /tmp)
#   GB       of the larger file of records (5); RUNS of everything (3)
#   KILLS    by SIGKILL (500); a fifth of that by SIGTERM
#   GPU_GB   of the file of records that a GPU sorts (16)
#   BSORT, SORTBIN   programs; PYTHON: one that has duckdb and polars; skipped if unset
#   BSORT is github.com/adamdeprince/bsort, SORTBIN github.com/jorisvr/sortbin

seconds() { # COMMAND...: wall seconds; its output goes to $work/log
    local begin=$EPOCHREALTIME
    "$@" >"$work/log" 2>&1 || { tail -n 2 "$work/log" >&2; echo 99999; return; }
    awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }'
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

cold() { # FILE: out of the page cache, as far as the system lets us
    sync "$1"
    dd if="$1" iflag=nocache count=0 2>/dev/null
}

copies() { # COUNT FILE: copy it COUNT times, each with sync
    local i
    for ((i = 0; i < $1; i++)); do
        cp "$2" "$place/copy" && sync "$place/copy" && rm -f "$place/copy" || return 1
    done
}

ours_on() { # DEVICE OPTION... FILE
    "$build/cli/multiway" sort -q --device "$1" -T "$place" -o "$place/out" "${@:2}"
}

ours() { ours_on cpu:2 "$@"; } # OPTION... FILE

ours_process() { # the same, in place of a shell
    exec "$build/cli/multiway" sort -q --device cpu:2 -T "$place" -o "$place/out" "$@"
}

gnu() { LC_ALL=C sort -S 256M --parallel=2 -T "$place" -o "$place/out" "$1"; }

# bsort maps input and output, sorts in the page cache with one thread, and syncs nothing;
# our result is synced, so bsort's is, too.
bsort_records() { "$BSORT" -r 100 -k 10 -i "$1" -o "$place/out" && sync "$place/out"; }

sortbin_records() {
    "$SORTBIN" --size=100 --memory=256M --branch=64 --parallel=2 \
        --temporary-directory="$place" "$1" "$place/out"
}

# Keys and records are Parquet for these two, since that is what they sort fastest. Memory
# is limited as they allow: Polars and DuckDB take more than they were told.
duckdb_sort() { # LIMIT: $place/rows.parquet by k
    "$PYTHON" - "$place" "$1" <<'PYTHON'
import duckdb, sys
place, limit = sys.argv[1:]
c = duckdb.connect(config={"memory_limit": limit, "threads": 2, "temp_directory": place})
c.sql("set preserve_insertion_order = false")
c.sql(f"""copy (from '{place}/rows.parquet' order by k) to '{place}/out.parquet'
    (compression uncompressed)""")
PYTHON
}

polars_sort() {
    POLARS_MAX_THREADS=2 POLARS_OOC_MEMORY_BUDGET_MB=256 POLARS_OOC_SPILL_DIR=$place \
        "$PYTHON" - "$place" <<'PYTHON'
import polars, sys
place = sys.argv[1]
polars.scan_parquet(f"{place}/rows.parquet").sort("k").sink_parquet(
    f"{place}/out.parquet", compression="uncompressed")
PYTHON
}

parquet_of_keys() { # FILE: u64 keys
    "$PYTHON" - "$1" "$place/rows.parquet" <<'PYTHON'
import numpy, polars, sys
polars.DataFrame({"k": numpy.fromfile(sys.argv[1], "<u8")}).write_parquet(
    sys.argv[2], compression="uncompressed")
PYTHON
}

parquet_of_lines() { # FILE: 10 bytes to sort by, and the rest of a line
    "$PYTHON" - "$1" "$place/rows.parquet" <<'PYTHON'
import duckdb, sys
duckdb.sql("set threads = 2")
duckdb.sql(f"""copy (select line[:10] k, line[11:] v from read_csv('{sys.argv[1]}',
    columns = {{'line': 'varchar'}}, delim = '\\t', quote = '', escape = '', header = false))
    to '{sys.argv[2]}' (compression uncompressed)""")
PYTHON
}

# Times of contestants in turn: contest RUNS NAME COMMAND -- NAME COMMAND ...; in took[NAME].
declare -A took
contest() {
    local runs=$1 run name
    shift
    local -a all=("$@") command
    rm -f "$work"/time-*
    for ((run = 0; run < runs; run++)); do
        set -- "${all[@]}"
        while [ $# -gt 0 ]; do
            name=$1 command=()
            shift
            while [ $# -gt 0 ] && [ "$1" != -- ]; do command+=("$1") && shift; done
            shift
            [ -z "${cold:-}" ] || cold "$cold"
            seconds "${command[@]}" >>"$work/time-$name" && echo >>"$work/time-$name"
            rm -f "$place/out" "$place/copy" "$place/out.parquet"
        done
    done
    for name in "$work"/time-*; do took[${name##*/time-}]=$(median <"$name"); done
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'; }

beside() { # BAR WHAT RIVAL LEAST: the rival's time / ours
    local r
    r=$(ratio "${took[$3]}" "${took[ours]}")
    judge "$1" "$2, $3 / ours: ${took[$3]} / ${took[ours]} s = $r ($4)" less "$4" "$r"
}

within() { # BAR WHAT FLOOR MOST: our time / the floor's
    local r
    r=$(ratio "${took[ours]}" "${took[$3]}")
    judge "$1" "$2, ours / $3: ${took[ours]} / ${took[$3]} s = $r ($4)" less "$r" "$4"
}

lines_of() { # GIGABYTES FILE: lines of 99 letters and an end, which GNU sort takes, too
    head -c $(($1 * 742500000)) /dev/urandom | base64 -w 99 >"$2"
}

files_records() {
    local key=(--record 100 --key 0:bytes:10) large=${GB:-5} file=$place/records
    local -a rivals=()
    [ -z "${SORTBIN:-}" ] || rivals=(-- sortbin sortbin_records "$file")
    lines_of 1 "$file"
    contest "$runs" ours ours "${key[@]}" -S 256M "$file" -- gnu gnu "$file" "${rivals[@]}"
    beside records "1 GB in 256 MiB" gnu 3
    [ -z "${SORTBIN:-}" ] || beside records "1 GB in 256 MiB" sortbin 1
    lines_of "$large" "$file"
    cold=$file contest "$runs" ours ours "${key[@]}" -S 256M "$file" -- copies copies 2 "$file" "${rivals[@]}"
    within records "$large GB in 256 MiB" copies 1.6
    [ -z "${SORTBIN:-}" ] || beside records "$large GB in 256 MiB" sortbin 1
    contest 1 ours ours "${key[@]}" -S 256M "$file" -- gnu gnu "$file"
    beside records "$large GB in 256 MiB" gnu 2.5
    if [ -n "${PYTHON:-}" ]; then
        parquet_of_lines "$file"
        contest 1 ours ours "${key[@]}" -S 256M "$file" -- duckdb duckdb_sort 1GB
        beside records "$large GB in 256 MiB, DuckDB with 1 GB" duckdb 1
        rm -f "$place/rows.parquet"
    else
        tell records "DuckDB: no PYTHON" skipped
    fi
    "$build/cli/multiway" gen "${key[@]}" --count "${large}0M" -o "$file"
    if [ -n "${BSORT:-}" ]; then
        contest "$runs" ours ours "${key[@]}" -S 12G "$file" -- bsort bsort_records "$file"
        beside records "$large GB in memory, warm" bsort 1
        cold=$file contest "$runs" ours ours "${key[@]}" -S 12G "$file" -- \
            bsort bsort_records "$file"
        beside records "$large GB in memory, cold" bsort 1
    else
        tell records "$large GB in memory: no BSORT" skipped
    fi
    rm -f "$file"
}

sort_seconds() { # COUNT: of mw_sort on that number of u64 keys
    "$build/cli/multiway" bench --device cpu:2 --types u64 --counts "$1" --trials 1 \
        --shapes random --tsv "$work/keys.tsv" >/dev/null 2>&1 &&
        awk -F'\t' '$1 == "type" { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["contestant"] == "cpu" { print $at["median_ms"] / 1000 }' "$work/keys.tsv"
}

files_keys() {
    local file=$place/keys sorted run
    "$build/cli/multiway" gen --type u64 --count 2^27 -o "$file"
    rm -f "$work/ratios"
    for ((run = 0; run < runs; run++)); do # a floor of its own for each run
        contest 1 ours ours --type u64 -S 8G "$file" -- copies copies 1 "$file"
        sorted=$(sort_seconds 2^27)
        echo "${took[ours]} ${took[copies]} ${sorted:-0}" | tee -a "$work/runs" |
            awk '{ print $1 / ($2 + $3) }' >>"$work/ratios"
    done
    judge keys "2^27 in memory, ours / (copy + mw_sort), of $(tr ' \n' '/ ' <"$work/runs")s: $(
        median <"$work/ratios") (1.3)" less "$(median <"$work/ratios")" 1.3
    "$build/cli/multiway" gen --type u64 --count 2^29 -o "$file"
    cold=$file contest "$runs" ours ours --type u64 -S 256M "$file" -- copies copies 2 "$file"
    within keys "2^29 in 256 MiB" copies 1.6
    if [ -n "${PYTHON:-}" ]; then
        parquet_of_keys "$file"
        contest 1 ours ours --type u64 -S 256M "$file" -- polars polars_sort \
            -- duckdb duckdb_sort 256MB
        beside keys "2^29 in 256 MiB" polars 2
        beside keys "2^29 in 256 MiB" duckdb 2
        rm -f "$place/rows.parquet"
    else
        tell keys "polars and duckdb: no PYTHON" skipped
    fi
    rm -f "$file"
}

# The most that files of a command held on disk beyond the input, named or not.
peak_of() { # INPUT COMMAND...
    local most=0 now input
    input=$(stat -c %i "$1")
    shift
    "$@" >"$work/log" 2>&1 &
    while kill -0 $! 2>/dev/null; do
        now=$(stat -L -c '%i %b %F' /proc/$!/fd/* 2>/dev/null | awk -v input="$input" '
            $1 != input && /regular/ && !seen[$1]++ { sum += $2 } END { print 512 * sum }')
        [ "$now" -le "$most" ] || most=$now
        sleep 0.02
    done
    wait $! || tail -n 2 "$work/log" >&2
    echo "$most"
}

files_budget() {
    local file=$place/records mib peak bytes moved
    "$build/cli/multiway" gen --record 100 --key 0:bytes:10 --count 15M -o "$file"
    bytes=$(stat -c %s "$file")
    for mib in 64 256 1024; do
        (ulimit -v $(((mib + 24) << 10)) && ours --record 100 --key 0:bytes:10 -S ${mib}M \
            "$file" 2>"$work/log") && "$build/cli/multiway" check --record 100 \
            --key 0:bytes:10 --same-as "$file" "$place/out" >"$work/log"
        judge budget "$mib MiB: sorted within $((mib + 24)) MiB of address space" [ $? = 0 ]
    done
    rm -f "$place/out"
    peak=$(peak_of "$file" ours_process --record 100 --key 0:bytes:10 -S 256M "$file")
    judge budget "peak disk beyond the input: $(ratio "$peak" "$bytes") of the output (1.01)" \
        less "$(awk -v a="$peak" -v b="$bytes" 'BEGIN { print a / b }')" 1.01
    rm -f "$place/out"
    moved=$(ours --record 100 --key 0:bytes:10 -S 256M --json "$file" 2>&1 | awk '
        /"io"/ { io = 1 } io && /"bytes_(read|written)"/ { gsub(/[^0-9]/, ""); sum += $0 }
        END { print sum }')
    judge budget "bytes read and written: $(ratio "$moved" "$bytes") times the input (4)" \
        less "$(awk -v a="$moved" -v b="$bytes" 'BEGIN { print a / b }')" 4.01
    rm -f "$file" "$place/out"
}

files_kills() {
    local kills=${KILLS:-500}
    bash tests/files_kill.sh "$build/cli/multiway" "$kills" $((kills / 5)) "$place" >"$work/kills"
    judge kills "$(sed -n 's/^ok 1 - //p' "$work/kills")" [ $? = 0 ]
    [ -x "$build/tests/files_faults" ] || { tell kills "no tests/files_faults" skipped; return; }
    "$build/tests/files_faults" "$place" >"$work/faults"
    judge kills "every k-th call fails: $(grep -c ^ok "$work/faults") of 6 jobs right" [ $? = 0 ]
}

overlay() { # on the disk, in a mount namespace of its own
    mkdir -p "$place"/overlay/{lower,upper,work,merged}
    unshare -m bash -c 'cd "$1" && mount -t overlay overlay \
        -o lowerdir=lower,upperdir=upper,workdir=work merged || exit 77; "$2" merged' \
        - "$place/overlay" "$build/tests/files" >"$work/places" 2>"$work/log"
}

files_places() {
    local folder status
    "$build/tests/files" "$place" >"$work/places"
    judge places "$(df --output=fstype "$place" | tail -n 1): $(grep -c ^ok "$work/places") cases right" [ $? = 0 ]
    overlay
    status=$?
    if [ $status = 77 ]; then
        tell places "overlayfs: mounting is not allowed here" skipped
    else
        judge places "overlayfs: $(grep -c ^ok "$work/places") cases right" [ $status = 0 ]
    fi
    judge places "no call of io_uring, which containers forbid" \
        sh -c "! grep -rqE 'io_uring_(setup|enter)|IORING' file"
    for folder in /dev/shm ${PLACES:-}; do
        [ -w "$folder" ] || { tell places "$folder: not here" skipped; continue; }
        "$build/tests/files" "$folder" >"$work/places"
        judge places "$folder: $(grep -c ^ok "$work/places") cases right" [ $? = 0 ]
    done
}

parts() { # COUNT BYTES FILE OPTION...: 8 parts of a file, made at the same time
    local i count=$1 bytes=$2 file=$3
    shift 3
    for ((i = 0; i < 8; i++)); do
        "$build/cli/multiway" gen "$@" --count "$count" --seed "$i" |
            dd of="$file" bs=1M oflag=seek_bytes seek=$((i * count * bytes)) conv=notrunc \
                iflag=fullblock status=none &
    done
    wait
}

gpu_records() {
    local file=$place/records gb=${GPU_GB:-16} key=(--record 100 --key 0:bytes:10) device
    local what="$gb GB in 4 GiB" all
    all=cpu:$(nproc)
    parts $((gb * 1250000)) 100 "$file" "${key[@]}"
    cold=$file contest "$runs" cuda ours_on cuda "${key[@]}" -S 4G "$file" -- \
        cpu ours_on "$all" "${key[@]}" -S 4G "$file" -- copies copies 2 "$file"
    for device in cpu cuda; do
        took[ours]=${took[$device]}
        within gpu "$what, $device" copies 1.4
    done
    beside gpu "$what, cuda" cpu 1
    rm -f "$file"
}

gpu_keys() { # files in the page cache: tmpfs
    local file place
    old_tree && cmake -S "$old" -B "$work/old-build" -DMW_CUDA=OFF >"$work/log" 2>&1 &&
        cmake --build "$work/old-build" -j "$(nproc)" --target multiway_cli >"$work/log" 2>&1 || {
        tell gpu "2^30 keys: no build of 0.1" skipped
        return
    }
    place=$(mktemp -d /dev/shm/bars-files.XXXXXX)
    file=$place/keys
    parts $((1 << 27)) 8 "$file" --type u64
    contest "$runs" ours ours_on cuda --type u64 -S 40G "$file" -- \
        old "$work/old-build/cli/multiway" sort --device cuda --type u64 -o "$place/out" "$file"
    beside gpu "2^30 keys in memory" old 3
    rm -rf "$place"
}

files_gpu() {
    nvidia-smi -L >/dev/null 2>&1 || { tell gpu "no GPU" skipped; return; }
    gpu_keys
    gpu_records
}

files() {
    local part
    runs=${RUNS:-3}
    place=$(mktemp -d "${FOLDER:-${TMPDIR:-/tmp}}/bars-files.XXXXXX")
    trap 'rm -rf "$work" "$place"' EXIT
    for part in records keys budget kills places gpu; do
        ! wanted $part || files_$part
    done
}
