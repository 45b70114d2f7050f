# shellcheck shell=bash disable=SC2154 # sourced by bars.sh, which has the variables
# bars_cpu.sh - the bars of the CPU beside its rivals, each in one process, interleaved:
#
#   keys     one thread beside vqsort and x86-simd-sort: random keys, then equal ones
#   runs     arrays with order in them, beside the version before the quicksort (WAS)
#   threads  two threads and all of them beside one
#   rows     argsort, pairs and records
#   lists    a merge of 64 lists, and the smallest of many keys
#   arm      the CPU's tests, built for aarch64, under emulation
#
#   HIGHWAY, XSS, IPS4O  folders of the rivals' sources; without one its bars are skipped
#   WAS                  the commit to compare with (ab413bb)

cpu_compile() { # COMPILER NAME: $work/NAME-vector and $work/NAME-general
    local cc=$1 name=$2 file objects=() jobs=()
    local flags=(-O3 -march=native -fPIC -std=c++17 -DNDEBUG -w -fvisibility=hidden)
    # Highway's code for Zen 4, which it never takes for granted at compile time.
    ! grep -q AuthenticAMD /proc/cpuinfo || flags+=(-DHWY_WANT_AVX3_ZEN4)
    mkdir -p "$work/$name"
    if [ -n "${HIGHWAY:-}" ] && [ -n "${XSS:-}" ]; then
        for file in contrib/sort/vqsort{,_have,_{u32,u64,f32,f64,kv64,kv128}a} \
            aligned_allocator targets per_target abort; do
            [ -f "$HIGHWAY/hwy/$file.cc" ] || continue
            objects+=("$work/$name/$(basename $file).o")
            "$cc" "${flags[@]}" -DHWY_COMPILE_ONLY_STATIC -I"$HIGHWAY" \
                -c "$HIGHWAY/hwy/$file.cc" -o "${objects[-1]}" &
            jobs+=($!)
        done
        objects+=("$work/$name/vector.o")
        "$cc" "${flags[@]}" -DHWY_COMPILE_ONLY_STATIC -I"$HIGHWAY" -I"$XSS/src" \
            -c bench/rivals/cpu_vector.cpp -o "$work/$name/vector.o" &
        wait "${jobs[@]}" $!
        "$cc" -shared -o "$work/$name-vector" "${objects[@]}" && vector+=("$work/$name-vector")
    fi
    local tbb=()
    ! echo 'int main() {}' | "$cc" -x c++ - -ltbb -o "$work/probe" 2>/dev/null || tbb=(-ltbb)
    if "$cc" "${flags[@]}" -mcx16 -fopenmp ${IPS4O:+-I"$IPS4O/include"} -shared \
        bench/rivals/cpu_general.cpp -o "$work/$name-general" "${tbb[@]}" -latomic -pthread \
        2>"$work/log"; then
        general+=("$work/$name-general")
    fi
}

cpu_run() { # TASK SHAPE COUNT DEVICE TRIALS LIBRARY...: adds to $work/cpu.tsv
    timeout 300 "$build/bench/multiway-cpu-bars" "$@" >>"$work/cpu.tsv" \
        2>"$work/complaints" || tail -n 2 "$work/complaints" >&2
}

cpu_ratio() { # TASK SHAPE COUNT DEVICE PATTERN: least ratio; its name; ours and its ms
    awk -F'\t' -v task="$1" -v shape="$2" -v count="$3" -v device="$4" -v pattern="$5" '
        $1 != task || $2 != shape || $3 != count || $4 != device { next }
        $8 != "ok" { print "0 wrong " $5; found = 1; exit }
        $7 == "1.000" && $5 == "multiway " device { ours = $6; next }
        $5 ~ pattern && (!least || $7 + 0 < least) { least = $7 + 0; name = $5; ms = $6 }
        END { if (!found && least) {
            gsub(/ /, "_", name); print least, name, ours, ms } }' "$work/cpu.tsv"
}

cpu_bar() { # BAR TASK SHAPE POWER DEVICE PATTERN LEAST
    local ratio name ours ms
    read -r ratio name ours ms < <(cpu_ratio "$2" "$3" $((1 << $4)) "$5" "$6")
    [ -n "${ratio:-}" ] || { tell "$1" "$2 $3 2^$4 $5: no $6 here" skipped; return; }
    judge "$1" "$2 $3 2^$4 $5: $ours ms, $name $ms: $ratio ($7)" less "$7" "$ratio"
}

cpu_keys() {
    local type power shape trials
    for type in u32 u64 f32 f64; do
        for power in 10 14 18 20 24 26; do
            trials=$((power < 24 ? 21 : 5))
            cpu_run keys-$type random $((1 << power)) cpu:1 $trials "${vector[@]}"
            cpu_bar keys keys-$type random $power cpu:1 'vqsort|x86-simd' 1
        done
    done
    for type in u32 u64; do
        for shape in few:16 zipf sawtooth:64 sawtooth:1000; do
            cpu_run keys-$type $shape $((1 << 22)) cpu:1 15 "${vector[@]}"
            cpu_bar keys keys-$type $shape 22 cpu:1 vqsort 1
        done
    done
}

cpu_runs() {
    local was=$work/was type shape
    { mkdir "$was" && git archive "${WAS:-ab413bb}" | tar x -C "$was" &&
        build_tree "$was" "$work/was-build" -DMW_CUDA=OFF; } 2>/dev/null || {
        tell runs "no build of the older version" skipped
        return
    }
    for type in u32 u64; do
        for shape in sorted reversed organ tail; do
            cpu_run keys-$type $shape $((1 << 22)) cpu:1 15 \
                "$work/was-build/src/libmultiway.so"
            cpu_bar runs keys-$type $shape 22 cpu:1 libmultiway 0.97
        done
    done
}

cpu_threads() {
    local type power all
    all=$(nproc)
    for type in u32 u64; do
        for power in 10 12 14 16 18 20 24; do
            cpu_run keys-$type random $((1 << power)) cpu:2 $((power < 24 ? 21 : 7)) cpu:1
            cpu_bar threads keys-$type random $power cpu:2 'cpu:1$' \
                "$([ $power -le 16 ] && echo 0.97 || echo 1.7)"
        done
    done
    [ "$all" -ge 16 ] || { tell threads "16 threads: $all processors here" skipped; return; }
    cpu_run keys-u32 random $((1 << 26)) cpu:16 7 cpu:1 "${vector[@]}"
    cpu_bar threads keys-u32 random 26 cpu:16 'cpu:1$' 10
    cpu_bar threads keys-u32 random 26 cpu:16 'vqsort|x86-simd' 5
}

cpu_rows() {
    local task power device
    for task in argsort-u32 argsort-u64 pairs-4 pairs-8; do
        cpu_run $task random $((1 << 24)) cpu:1 5 "${vector[@]}"
        cpu_bar rows $task random 24 cpu:1 'vqsort|x86-simd' 1
    done
    for device in cpu:1 "cpu:$(nproc)"; do
        cpu_run records-16 random $((1 << 24)) "$device" 3 "${general[@]}"
        cpu_bar rows records-16 random 24 "$device" ips4o 1.5
        cpu_bar rows records-16 random 24 "$device" stable 4
        for power in 20 24; do
            if [ $power = 24 ] && ! grep -qE '^MemAvailable: +[0-9]{8,} ' /proc/meminfo; then
                tell rows "records-100 2^24: not enough memory here" skipped
                continue
            fi
            cpu_run records-100 random $((1 << power)) "$device" 3 "${general[@]}"
            cpu_bar rows records-100 random $power "$device" . 2
        done
    done
}

cpu_lists() {
    local shape
    cpu_run merge-u64 random $((1 << 26)) cpu:2 5 "${general[@]}"
    cpu_bar lists merge-u64 random 26 cpu:2 multiway_merge 3
    for shape in random reversed; do
        cpu_run top-u32 $shape $((1 << 26)) cpu:1 3 "${general[@]}" "${vector[@]}"
        cpu_bar lists top-u32 $shape 26 cpu:1 partial_sort "$(
            [ $shape = random ] && echo 1.5 || echo 20)"
        cpu_bar lists top-u32 $shape 26 cpu:1 vqselect 1
    done
}

cpu_arm() {
    local tests=(unit_cpu unit_cpu_{tight,rows,few} cpu_bounds anything primitives
        sort_matrix)
    { command -v aarch64-linux-gnu-gcc && command -v qemu-aarch64; } >/dev/null || {
        tell arm "no cross compiler and emulator here" skipped
        return
    }
    cmake -S . -B "$work/arm" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" \
        -DMW_CUDA=OFF >"$work/log" 2>&1 &&
        cmake --build "$work/arm" -j "$(nproc)" --target "${tests[@]}" >>"$work/log" 2>&1
    judge arm "tests of the CPU on aarch64, emulated" ctest --test-dir "$work/arm" -Q \
        -j "$(nproc)" \
        -R '^(unit_cpu(_tight|_rows|_few)?|cpu_bounds|(anything|primitives|sort_matrix)_cpu)$'
}

cpu() {
    local part vector=() general=()
    cmake --build "$build" --target multiway_cpu_bars -j "$(nproc)" >"$work/log" 2>&1 || {
        tail -n 5 "$work/log" >&2
        exit 2
    }
    cpu_compile g++ gcc
    ! command -v clang++ >/dev/null || cpu_compile clang++ clang
    echo "# $(grep -m 1 'model name' /proc/cpuinfo | cut -d: -f2), $(nproc) processors" \
        >"$work/cpu.tsv"
    for part in keys runs threads rows lists arm; do
        ! wanted $part || cpu_$part
    done
}
