#!/bin/sh
# kernels_compile.sh SOURCE NVRTC_COMPILE [NVCC] - the kernels compile for every
# key width, for sm_80 and sm_90, with nvcc and with NVRTC, and no kernel spills
# registers or keeps a stack.
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

kernels=$(sed -n 's/^KERNEL_ROW([^,]*, *\([^,]*\),.*/\1/p' "$source_tree/src/kernels/kernels.def")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
number=0
failed=0

# judge RESULT ARCHITECTURE NAME: one case, from the log in $folder/log.
judge() {
    number=$((number + 1))
    problem=$(
        [ "$1" -eq 0 ] || echo "it does not compile"
        for kernel in $kernels; do
            grep -q "Compiling entry function '$kernel' for 'sm_$2'" "$folder/log" ||
                echo "no word of $kernel"
        done
        grep 'bytes stack frame' "$folder/log" |
            grep -v ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' |
            sed 's/^[^0-9]*//'
    )
    if [ -z "$problem" ]; then
        echo "ok $number - $3"
    else
        echo "not ok $number - $3"
        echo "$problem" | sed 's/^/# /'
        sed 's/^/# /' "$folder/log"
        failed=1
    fi
}

if [ -n "$nvcc" ]; then
    for bits in 8 16 32 64; do
        for architecture in 80 90; do
            "$nvcc" -cubin -O3 -DKEY_BITS=$bits -arch=sm_$architecture -Xptxas -v \
                -I"$source_tree/src/base" -o "$folder/cubin" \
                "$source_tree/src/kernels/program.cu" >"$folder/log" 2>&1
            judge $? $architecture "nvcc, $bits-bit keys, sm_$architecture: no spills, no stack"
        done
    done
fi

"$nvrtc_compile" 32 90 >"$folder/log" 2>&1
if [ $? -ne 77 ]; then
    for bits in 8 16 32 64; do
        for architecture in 80 90; do
            "$nvrtc_compile" $bits $architecture >"$folder/log" 2>&1
            judge $? $architecture "NVRTC, $bits-bit keys, sm_$architecture: no spills, no stack"
        done
    done
fi

if [ $number -eq 0 ]; then
    echo "1..0 # SKIP neither nvcc nor NVRTC on this machine"
else
    echo "1..$number"
fi
exit $failed
