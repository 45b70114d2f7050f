# shellcheck shell=bash disable=SC2154,SC2086,SC2046 # sourced by bars.sh; MPIRUN is a list of words
# bars_mpi.sh - the bars of sorting across processes, for every MPI there is:
#
#   jobs      bytes of one process: random jobs, all shapes, 1 to 8 ranks; ranks killed
#   threads   1000 random jobs of 1 to 64 ranks in one process
#   many      1,024 ranks in one process, all shapes: rounds and bytes as the model says
#   exchange  bytes besides the rows, 2^20 u64 a rank, up to 64 ranks (EXCHANGE: shapes)
#   faults    every call for memory, of a device, of the communicator fails
#   speed     16 ranks cpu:1 beside one process cpu:16, and beside rivals; 16 cores
#   gpu       4 ranks that share a GPU
#
#   MPI_BUILD  a folder for builds, mpi-openmpi and so on, that are kept
#   MW_CUDA    ON: build kernel images for `gpu`; otherwise NVRTC compiles them
#   COUNT      keys of `speed` and `gpu` in all (2^28)
#   RIVALS     paths of shared libraries, mpsort.so and others, that bench/across.c times

mpi_environment() { # what Open MPI needs to be told: cmake/mpi.cmake has it
    local line
    while read -r line; do
        export "${line?}"
    done < <(sed -n '/^set(MW_MPI_ENVIRONMENT/,$p' cmake/mpi.cmake | grep -oE '[A-Z][A-Za-z_]*=[^ )]*')
}

mpi_kinds() { # the kinds of MPI on this machine
    local kind
    for kind in openmpi mpich; do
        command -v mpicc.$kind >/dev/null && command -v mpirun.$kind >/dev/null && echo $kind
    done
    command -v mpicc.openmpi >/dev/null || command -v mpicc.mpich >/dev/null ||
        { command -v mpicc >/dev/null && echo default; }
}

mpi_build() { # KIND: sets `folder` and MPIRUN; builds once
    local suffix=.$1
    [ "$1" != default ] || suffix=
    folder=${MPI_BUILD:-$work}/mpi-$1
    export MPIRUN="mpirun$suffix -n" MULTIWAY=$folder/cli/multiway
    export MULTIWAY_MPI=$folder/mpi/multiway-mpi EXAMPLE=$folder/examples/example_15_mpi
    cmake -S "$tree" -B "$folder" -DMW_CUDA="${MW_CUDA:-OFF}" -DMW_MPI=ON \
        "-DMPI_C_COMPILER=$(command -v mpicc$suffix)" >"$work/log" 2>&1 &&
        cmake --build "$folder" -j "$(nproc)" --target multiway_across_bench $(
            wanted jobs && echo multiway_cli multiway_mpi_cli across_mpi across_mpi_chunks \
                across_mpi_shapes across_mpi_open multiway_mpi_killed example_15_mpi
            wanted threads && echo across
            wanted many || wanted exchange && echo across_cost
            wanted faults && echo across_faults
        ) >>"$work/log" 2>&1 || {
        tail -n 5 "$work/log" >&2
        return 1
    }
}

tap_bar() { # BAR WHAT COMMAND...: no case of a TAP test fails
    local bar=$1 what=$2 good bad
    shift 2
    "$@" >"$work/tap" 2>&1
    good=$(grep -c '^ok' "$work/tap") bad=$(grep -c '^not ok' "$work/tap")
    [ "$bad" = 0 ] || grep -A 3 '^not ok' "$work/tap" >&2
    judge "$bar" "$what: $good cases right, $bad wrong" [ "$good" -gt 0 -a "$bad" = 0 ]
}

mpi_jobs() { # KIND
    MORE=1 tap_bar jobs "$1, 1 2 3 4 7 8 ranks, all shapes, killed ranks" \
        bash tests/mpi/run.sh "$folder/tests/mpi"
}

worst_percent() { # of the TAP in $work/tap
    sed -n 's/.*, \([0-9.]*\) %$/\1/p' "$work/tap" | sort -g | tail -n 1
}

mpi_exchange() {
    local ranks worst
    for ranks in 2 8 64; do
        tap_bar exchange "2^20 u64 a rank, $ranks ranks" \
            "$folder/tests/mpi/across_cost" $ranks 1048576 ${EXCHANGE:-}
        worst=$(worst_percent)
        judge exchange "received besides the rows, $ranks ranks: at most ${worst:-none} % (1)" \
            less "${worst:-100}" 1
    done
}

seconds_of() { # RANKS ARGUMENT...: the median time of multiway-across
    local launch="$MPIRUN $1" bind=core:overload-allowed
    [ "$1" -gt 1 ] || { launch='' && bind=none; } # else all threads of one rank share a core
    shift
    env -u OMPI_MCA_btl_vader_single_copy_mechanism -u OMPI_MCA_mpi_yield_when_idle \
        OMPI_MCA_hwloc_base_binding_policy=$bind $launch \
        "$folder/bench/multiway-across" "$@" 2>"$work/complaints" | cut -f 3 | grep . ||
        tail -n 3 "$work/complaints" >&2
}

median() { # of lines
    sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

divided() { # FILE FILE: the median of one file by that of another
    echo "$(median <"$1") $(median <"$2")" | awk '{ printf "%.3f", ($2 > 0 ? $1 / $2 : 0) }'
}

mpi_speed() { # KIND: runs take turns
    local rival name least round count=${COUNT:-2^28}
    rm -f "$work"/time-*
    for round in 1 2; do
        seconds_of 16 "$count" 3 cpu:1 >>"$work/time-across"
        seconds_of 1 "$count" 3 cpu:16 alone >>"$work/time-alone"
        for rival in ${RIVALS:-}; do # once is enough for one that takes five times as long
            name=$(basename "$rival" .so)
            [ $round = 1 ] || less "$(divided "$work"/time-{"$name",across})" 5 || continue
            seconds_of 16 "$count" 1 cpu:1 "$rival" >>"$work/time-$name"
        done
    done
    judge speed "$1, $count u64, cpu:16 $(median <"$work/time-alone") s / 16 ranks $(
        median <"$work/time-across") s: $(divided "$work"/time-{alone,across}) (0.6)" \
        less 0.6 "$(divided "$work"/time-{alone,across})"
    [ -n "${RIVALS:-}" ] || tell speed "$1, mpsort and others: RIVALS names none" skipped
    for rival in ${RIVALS:-}; do
        name=$(basename "$rival" .so) least=1
        [ "$name" != mpsort ] || least=3
        [ -s "$work/time-$name" ] || { tell speed "$1, $name: does not run" skipped; continue; }
        judge speed "$1, $name $(median <"$work/time-$name") s / ours: $(
            divided "$work"/time-{"$name",across}) ($least)" \
            less $least "$(divided "$work"/time-{"$name",across})"
    done
}

watch_gpu() { # the most MiB in use, in $work/gpu, until killed
    local now most=0
    while now=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | head -n 1); do
        [ "$now" -le "$most" ] || { most=$now && echo "$most" >"$work/gpu"; }
    done
}

# Keys, rows received and the workspace of a merge, 3.25 times the keys' bytes in all, and
# what each process needs for CUDA itself, at most 1 GiB.
mpi_gpu() { # KIND
    local where seconds before watcher most=$((4 * (13 * 512 / 4 + 1024)))
    for where in '' device; do
        before=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | head -n 1)
        watch_gpu &
        watcher=$!
        seconds=$(seconds_of 4 "${COUNT:-2^28}" 3 cuda $where)
        kill $watcher
        wait $watcher 2>/dev/null
        judge gpu "$1, 4 ranks share a GPU, ${COUNT:-2^28} u64 in ${where:-host} memory: ${seconds:-none} s" \
            [ -n "$seconds" ]
        judge gpu "and $(($(cat "$work/gpu") - before)) MiB of device memory ($most)" \
            [ $(($(cat "$work/gpu") - before)) -le $most ]
    done
}

mpi() {
    local kind kinds
    mpi_environment
    kinds=$(mpi_kinds)
    [ -n "$kinds" ] || { tell jobs "no MPI on this machine" skipped; return; }
    for kind in $kinds; do
        mpi_build "$kind" || { tell jobs "$kind: does not build" missed; continue; }
        wanted jobs && mpi_jobs "$kind"
        if [ "$(nproc)" -ge 16 ]; then
            wanted speed && mpi_speed "$kind"
        else
            wanted speed && tell speed "$kind: $(nproc) cores, expected 16" skipped
        fi
        if nvidia-smi -L >/dev/null 2>&1; then
            wanted gpu && mpi_gpu "$kind"
        else
            wanted gpu && tell gpu "$kind: no GPU" skipped
        fi
    done
    wanted threads && tap_bar threads '1000 random jobs of 1 to 64 ranks' \
        "$folder/tests/mpi/across" cpu:1 1 1000
    wanted many && tap_bar many '1,024 ranks of 10,000 u64, all shapes' \
        "$folder/tests/mpi/across_cost" 1024 10000
    wanted exchange && mpi_exchange
    wanted faults && tap_bar faults 'every call fails once' "$folder/tests/mpi/across_faults"
}
