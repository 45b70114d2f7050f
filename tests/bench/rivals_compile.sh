#!/usr/bin/env bash
# rivals_compile.sh SOURCE [NVCC [MODERNGPU]] - do the rivals of multiway bench
# compile? One type stands for all: a float, which has the most sorts.
#
# Speaks TAP.
set -u

source_tree=$1
nvcc=${2-}
moderngpu=${3-}

if [ -z "$nvcc" ]; then
    echo "1..0 # SKIP no nvcc on this machine"
    exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number=0
failed=0

compile() { # NAME SOURCE [FLAG...]
    local name=$1 file=$2
    shift 2
    number=$((number + 1))
    if "$nvcc" -c -O1 -std=c++17 -arch=sm_90 -Xcompiler=-fPIC,-fvisibility=hidden \
        -I"$source_tree/include" -I"$source_tree/kit" "$@" -o "$folder/$name.o" \
        "$source_tree/bench/rivals/$file" >"$folder/log" 2>&1 && [ ! -s "$folder/log" ]; then
        echo "ok $number - $name compiles without a word"
    else
        echo "not ok $number - $name compiles without a word"
        sed 's/^/# /' "$folder/log"
        failed=1
    fi
}

compile f64 type.cu -DRIVAL_KEY=double -DRIVAL_NAME=f64
compile check check.cu
compile clocks clocks.cu
compile old old.cu
compile merge merge.cu
compile topk topk.cu
compile rivals rivals.cu
compile anything anything.cu
compile anything_case anything_case.cu
compile anything_rows anything_rows.cu -DELEMENT=record32 -DROWS=rows_record_32
if [ -n "$moderngpu" ]; then
    compile moderngpu moderngpu.cu --extended-lambda -w -I"$moderngpu/src"
fi
echo "1..$number"
exit $failed
