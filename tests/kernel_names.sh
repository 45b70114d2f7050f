#!/usr/bin/env bash
# kernel_names.sh SOURCE [NVCC] - names in a text in front of program.cu do not collide
# with those of the kernels: every name that the kernels use is declared there, once as
# a type and once as a constant.
#
# SOURCE is the root of the tree, NVCC empty or missing if there is none. Speaks TAP.
set -u

source_tree=$1
nvcc=${2:-}
kernels=$source_tree/src/kernels

if [ -z "$nvcc" ]; then
    echo "1..0 # SKIP no nvcc"
    exit 0
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# Words of C++ and CUDA, names of nvcc's own headers, and macros defined before any text.
cat >"$folder/taken" <<'WORDS'
alignas asm break char const continue define defined do double else enum error extern float for
if inline int long namespace return short sizeof static static_assert struct switch
template typedef typename undef union unsigned void volatile while
all atomicAdd atomicMax atomicOr blockDim blockIdx gridDim index max round size_t threadIdx
KEY_BITS TILE_ROWS TILE_ITEMS TILE_SORT_BLOCKS TILE_MERGE_BLOCKS TILE_PLACES TILE_LISTS
PAIR_PROGRAM
ROWS_PROGRAM LESS_THREADS LESS_ITEMS LESS_SORT_BLOCKS LESS_MERGE_BLOCKS memcpy
mw_kernels mw_text mw_element mw_less_of_text
WORDS
tr ' ' '\n' <"$folder/taken" | sort -u >"$folder/words"
# Comments and strings hold no names.
cat "$kernels"/*.cu "$kernels"/*.cuh "$kernels/simt.h" "$kernels"/launch*.h \
    "$source_tree/src/base/code.inl" |
    sed 's/"[^"]*"//g' | sed -zE 's,/\*([^*]|\*+[^*/])*\*+/,,g' |
    grep -oE '\b[A-Za-z][A-Za-z0-9_]*\b' | grep -vE '^(u|ull|x[0-9a-f]+|f)$' | sort -u |
    comm -23 - "$folder/words" >"$folder/names"

sed 's/.*/struct & { int mw_member; };/' "$folder/names" >"$folder/types.h"
sed 's/.*/enum { & };/' "$folder/names" >"$folder/constants.h"

# An order's text, as the library puts it in front of the kernels (src/cuda/text.c).
cat >"$folder/order.h" <<'TEXT'
namespace mw_text {
typedef double mw_element;
static __device__ bool mw_less_of_text(const mw_element *a, const mw_element *b)
{
    return *a < *b;
}
}
TEXT

# shellcheck source=tests/say.sh
. "$source_tree/tests/say.sh"
for text in types constants; do
    for program in -DPAIR_PROGRAM=1 -DHEAP -DROWS_PROGRAM=1 \
        '-DLESS_THREADS=256 -DLESS_ITEMS=13 -DLESS_SORT_BLOCKS=2 -DLESS_MERGE_BLOCKS=2' \
        '-DTILE_ROWS=256 -DTILE_ITEMS=16 -DTILE_SORT_BLOCKS=0 -DTILE_MERGE_BLOCKS=0' \
        '-DTILE_LISTS=1 -DTILE_ROWS=256 -DTILE_ITEMS=16 -DTILE_SORT_BLOCKS=0 -DTILE_MERGE_BLOCKS=0'; do
        # shellcheck disable=SC2086 # several options
        log=$("$nvcc" -ptx -arch=sm_90 -DKEY_BITS=64 $program -include "$folder/$text.h" \
            -include "$folder/order.h" -I"$source_tree/src/base" -o "$folder/ptx" "$kernels/program.cu" 2>&1) && log= ||
            log="status $?: $log"
        say "$(wc -l <"$folder/names") names as $text, $program" "$(head -n 10 <<<"$log")"
    done
done
echo "1..$number"
exit $failed
