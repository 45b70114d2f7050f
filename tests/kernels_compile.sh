#!/usr/bin/env bash
# kernels_compile.sh SOURCE NVRTC_COMPILE [NVCC] - the kernels compile for every
# key width and every geometry that the tuning table has for sm_80 and sm_90, with
# nvcc and with NVRTC. Kernels spill no registers and keep no stack, with few exceptions.
# Besides, by NVRTC: rows for other GPUs, on sm_75, and some geometries that no row
# names.
#
# SOURCE is the root of the tree, NVRTC_COMPILE the program of that name, NVCC
# empty or missing if there is none. Speaks TAP; skips what the machine lacks.
set -u

# NVRTC says nothing of registers about a program that it takes from its cache.
CUDA_CACHE_DISABLE=1
export CUDA_CACHE_DISABLE

source_tree=$1
nvrtc_compile=$2
nvcc=${3:-}

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/say.sh
. "$source_tree/tests/say.sh"

# ARCHITECTURE BITS: rows, items, blocks that sort and that merge, and perhaps "places", of
# tune.def
tiles() {
    "$nvrtc_compile" tiles "$1" "$2" | sort -u
}

# judge RESULT ARCHITECTURE KERNELS NAME [PLACES]: one case, from the log in $folder/log.
# Kernels that may spill a little, in bytes of stack: tile_cut and those that select, since
# what waits gains more by more warps; those that deal, tally_sum, and those with places,
# so that more blocks share an SM; deal_merge, which rarely has anything to do; and
# segment_merge, which finds cuts as well.
judge() {
    local problem
    problem=$(
        [ "$1" -eq 0 ] || echo "it does not compile"
        [ -n "$3" ] || echo "no names of kernels"
        for kernel in $3; do
            grep -q "Compiling entry function '$kernel' for 'sm_$2'" "$folder/log" ||
                echo "no word of $kernel"
        done
        awk -v most=$((${5:+136} + 0)) '
            /properties for/ { kernel = $NF; gsub("\047", "", kernel) }
            match($0, /[0-9]+ bytes stack frame/) {
                spare = most
                if (kernel ~ /^select_/) spare = kernel == "select_count" ? 272 : 64
                else if (kernel ~ /^(deal_(in|out|sort)|tally_sum)$/) spare = 32
                else if (kernel == "deal_merge") spare = 288
                else if (kernel == "segment_merge") spare = 160
                else if (!most && kernel == "tile_cut") spare = 32
                else if (!most && kernel ~ /^(lists_merge|tile_merge|segment_mark)$/) spare = 16
                if (substr($0, RSTART) + 0 > spare)
                    print substr($0, RSTART) " in " kernel }' "$folder/log"
    )
    [ -z "$problem" ] || problem+=$'\n'$(cat "$folder/log")
    say "$4" "$problem"
}

by_nvcc() { # PROGRAM ARCHITECTURE DEFINITION...
    program=$1
    architecture=$2
    shift 2

    # The names of all kernels that the library looks for in such an image.
    local -A value=()
    local definition words kernels
    for definition in "${@#-D}"; do
        value[${definition%%=*}]=${definition#*=}
    done
    words=("${value[KEY_BITS]}" "$architecture" "$program")
    [ -z "${value[TILE_ROWS]:-}" ] ||
        words+=("${value[TILE_ROWS]}" "${value[TILE_ITEMS]}" 0 0)
    [ -z "${value[TILE_PLACES]:-}" ] || words+=(places)
    kernels=$("$nvrtc_compile" kernels "${words[@]}")

    "$nvcc" -cubin -O3 "$@" -arch="sm_$architecture" -Xptxas -v -I"$source_tree/src/base" \
        -o "$folder/cubin" "$source_tree/src/kernels/program.cu" >"$folder/log" 2>&1
    judge $? "$architecture" "$kernels" "nvcc, sm_$architecture, $*: few spills" \
        "$(grep -o TILE_PLACES <<<"$*")"
}

by_nvrtc() { # BITS ARCHITECTURE heap|pair|tally|rows|tile|lists [ROWS ITEMS SORT MERGE [places]]
    local kernels
    kernels=$("$nvrtc_compile" kernels "$@")
    # NVRTC compiles no kernels of segments here, since that takes long.
    [ -z "${8:-}" ] || kernels=$(grep -v '^segment_' <<<"$kernels")
    "$nvrtc_compile" "$@" >"$folder/log" 2>&1
    judge $? "$2" "$kernels" \
        "NVRTC, $3, $1-bit keys, sm_$2${5:+, tiles of $4 x $5}${8:+ with $8}: few spills" \
        "${8:-}"
}

for architecture in ${nvcc:+80 90}; do
    by_nvcc rows "$architecture" -DKEY_BITS=0 -DROWS_PROGRAM=1
    by_nvcc tally "$architecture" -DKEY_BITS=8 -DTALLY_PROGRAM=1
    by_nvcc tally "$architecture" -DKEY_BITS=16 -DTALLY_PROGRAM=1
    by_nvcc tile "$architecture" -DKEY_BITS=32 -DTILE_LARGE=1 -DTILE_ROWS=256 \
        -DTILE_ITEMS=32 -DTILE_SORT_BLOCKS=5 -DTILE_MERGE_BLOCKS=4
    by_nvcc tile "$architecture" -DKEY_BITS=64 -DTILE_LARGE=1 -DTILE_ROWS=256 \
        -DTILE_ITEMS=16 -DTILE_SORT_BLOCKS=4 -DTILE_MERGE_BLOCKS=4
    for bits in 8 16 32 64; do
        by_nvcc heap "$architecture" -DKEY_BITS=$bits
        by_nvcc pair "$architecture" -DKEY_BITS=$bits -DPAIR_PROGRAM=1
        while read -r rows items sort merge places; do # the build does it with places, too
            [ "$architecture" = 90 ] || [ -z "$places" ] || continue
            by_nvcc tile "$architecture" -DKEY_BITS=$bits -DTILE_ROWS="$rows" \
                -DTILE_ITEMS="$items" -DTILE_SORT_BLOCKS="$sort" \
                -DTILE_MERGE_BLOCKS="$merge" ${places:+-DTILE_PLACES=1}
        done < <(tiles "$architecture" $bits)
        while read -r rows items sort merge places; do
            [ "$architecture" = 90 ] || [ -z "$places" ] || continue
            by_nvcc lists "$architecture" -DKEY_BITS=$bits -DTILE_LISTS=1 \
                -DTILE_ROWS="$rows" -DTILE_ITEMS="$items" -DTILE_SORT_BLOCKS="$sort" \
                -DTILE_MERGE_BLOCKS="$merge" ${places:+-DTILE_PLACES=1}
        done < <("$nvrtc_compile" lists "$architecture" $bits)
    done
done

"$nvrtc_compile" 32 90 heap >"$folder/log" 2>&1
if [ $? -ne 77 ]; then
    while read -ra program; do
        by_nvrtc "${program[@]}"
    done < <(
        # nvcc has compiled the same text for sm_90: then one width is enough.
        for bits in $([ -n "$nvcc" ] && echo 32 || echo 8 16 32 64); do
            echo "$bits 90 heap"
            echo "$bits 90 pair"
            tiles 90 "$bits" | sed "s/^/$bits 90 tile /"
            "$nvrtc_compile" lists 90 "$bits" | sed "s/^/$bits 90 lists /"
        done
        printf '%s\n' '8 75 tally' '16 75 tally' '8 90 tally' '16 90 tally'
        printf '%s\n' '32 75 heap' '32 75 pair' '64 75 pair' '0 75 rows' '0 90 rows'
        printf '%s 0 0\n' '32 90 tile 64 8' '32 90 tile 128 16' '32 90 tile 512 32' \
            '64 90 tile 512 8' '64 90 tile 256 32'
        tiles 0 32 | sed 's/^/32 75 tile /'
        tiles 0 64 | sed 's/^/64 75 tile /'
    )
fi

if [ $number -eq 0 ]; then
    echo "1..0 # SKIP neither nvcc nor NVRTC on this machine"
else
    echo "1..$number"
fi
exit $failed
