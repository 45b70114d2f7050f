#!/usr/bin/env bash
# layers.sh SOURCE - the rules of the house that a compiler does not check.
#
# Arrows point down: what a file may include is said by one row of a table
# below, and every #include "..." is held against it. Besides: src/ neither
# prints, nor exits, nor reads the environment; files stay short; nothing is
# left to be done later. The checker is first tried on a tree of planted
# violations, each of which it must name.
#
# Speaks TAP.
set -u

source_tree=$1

# who (a folder or a file), then what it may include. The first row that fits
# counts. tests/ may look inside.
read -r -d '' table <<'ROWS'
include/multiway_insight.h include/multiway.h
include/                   -
kit/                       include/ kit/
cli/                       include/ kit/ cli/
bench/                     include/ kit/ bench/ cli/
examples/                  include/
tests/                     include/ kit/ src/ tests/ bench/rivals.h cli/tally.h
src/base/                  include/ src/base/
src/kernels/kernel_files.h -
src/kernels/programs.h     src/base/ src/kernels/launch.h src/kernels/kernels.def
src/kernels/simt.h         src/kernels/launch.h src/sim/simt_sim.h
src/kernels/program.cu     src/kernels/
src/kernels/kernels.def    src/kernels/*.cu
src/kernels/               src/kernels/simt.h src/kernels/launch.h src/kernels/*.cuh src/base/code.inl
src/sim/simt_              include/multiway_insight.h src/sim/simt_ src/kernels/launch.h src/kernels/kernels.def
src/sim/                   include/ src/base/ src/device.h src/tune.def src/kernels/*.h src/kernels/kernels.def src/sim/
src/cuda/                  include/ src/base/ src/device.h src/kernels/*.h src/kernels/kernels.def src/cuda/
src/cpu/                   include/ src/base/ src/cpu/
src/device.h               src/base/ src/kernels/programs.h
src/plan                   src/base/ src/plan.h src/plan_parts.h src/tune.def src/kernels/launch.h src/kernels/programs.h
src/passes.h               src/base/ src/device.h src/plan.h
src/passes.c               src/passes.h src/kernels/launch.h src/kernels/kernels.def
src/request.h              src/base/
src/backend.h              src/request.h
src/backend_cpu.c          src/backend.h src/cpu/cpu.h
src/backend_device         src/backend.h src/backend_device.h src/device.h src/passes.h
src/context.h              src/backend.h
src/api.c                  src/base/ src/context.h src/plan.h
src/                       src/base/ src/request.h src/context.h
ROWS

# Where the compiler looks for "name", after the folder of the file itself.
roots="include src src/kernels src/base src/sim kit tests"

sources() { # TREE FOLDER...: the C files in them, as paths below TREE
    (
        cd "$1" && shift && for folder; do
            [ -d "$folder" ] && find "$folder" -type f \( -name '*.[ch]' -o -name '*.inl' \
                -o -name '*.def' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' \)
        done | sort
    )
}

resolve() { # TREE FILE NAME: the path of the header below TREE
    local folder path
    for folder in "$(dirname "$2")" $roots; do
        [ -f "$1/$folder/$3" ] || continue
        path=$folder/$3
        while [[ $path =~ ^(.*/)?[^/.]+/\.\./(.*)$ ]]; do
            path=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
        done
        echo "$path"
        return
    done
    echo "$3 (not found)"
}

allowed() { # FILE HEADER: does the table let the one include the other?
    local who what row
    while read -r who row; do
        [[ $1 == "$who"* ]] || continue
        for what in $row; do
            # A name ends there; a folder or a beginning does not.
            # shellcheck disable=SC2053 # a pattern
            case $what in
            */ | *_) [[ $2 == "$what"* ]] && return 0 ;;
            *) [[ $2 == $what ]] && return 0 ;;
            esac
        done
        return 1
    done <<<"$table"
    return 1
}

# Each check prints its complaints, one a line.

check_includes() {
    local file line name header
    while IFS=: read -r file line name; do
        name=${name#*\"}
        header=$(resolve "$1" "$file" "${name%%\"*}")
        allowed "$file" "$header" || echo "$file:$line includes $header"
    done < <(cd "$1" && sources . include src kit cli bench examples tests |
        xargs -r grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null)
}

check_calls() {
    local names='v?f?printf|puts|putchar|perror|_?exit|_Exit|quick_exit|abort|(secure_)?getenv'
    (cd "$1" && sources . src |
        xargs -r grep -nE "(^|[^[:alnum:]_])($names)[[:space:]]*\\(" /dev/null)
}

check_sizes() {
    (cd "$1" && { sources . include src kit cli bench examples tests
        find tests cmake examples -name '*.sh' -o -name '*.cmake' 2>/dev/null; } |
        xargs -r wc -l | awk '$1 > 450 && $2 != "total" { print $2 " has " $1 " lines" }')
}

check_leftovers() {
    local words='TO''DO|FIX''ME|XX''X'
    (cd "$1" && find include src kit cli bench examples tests cmake docs ./*.md ./*.txt \
        -type f ! -path '*/results/*' -print0 2>/dev/null |
        xargs -0 -r grep -nIwE "$words" /dev/null)
}

# shellcheck source=tests/say.sh
. "$source_tree/tests/say.sh"

plant() { # TREE PATH TEXT
    mkdir -p "$1/$(dirname "$2")"
    printf '%b\n' "$3" >"$1/$2"
}

# A house in small: files that may be there, then one violation of each kind.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
for header in include/multiway.h kit/kit.h cli/cli.h src/base/base.h src/base/code.inl \
    src/kernels/launch.h src/kernels/programs.h src/kernels/key.cuh src/plan.h src/passes.h \
    src/request.h src/cpu/cpu.h src/cuda/cache.h src/sim/simt_sim.h src/sim/ledger.h; do
    plant "$planted" $header '/* nothing */'
done
plant "$planted" src/device.h '#include "base/base.h"\n#include "kernels/programs.h"'
plant "$planted" src/backend.h '#include "request.h"'
plant "$planted" src/context.h '#include "backend.h"'
plant "$planted" src/backend_cpu.c '#include "backend.h"\n#include "cpu/cpu.h"'
plant "$planted" src/backend_device.c '#include "backend.h"\n#include "passes.h"'
plant "$planted" src/job.c '#include "context.h"\n/* printf, of snprintf( */ int a;'
plant "$planted" src/kernels/simt.h '#include "simt_sim.h"'
plant "$planted" src/kernels/a.cu '#include "launch.h"\n#include "key.cuh"\n#include "code.inl"'
plant "$planted" src/cuda/device.c '#include "device.h"\n#include "cache.h"'
plant "$planted" cli/main.c '#include "cli.h"\n#include "kit.h"\n#include <stdio.h>'
plant "$planted" tests/t.c '#include "plan.h"\n#include "kit.h"'

clean=$(check_includes "$planted"; check_calls "$planted"; check_sizes "$planted"
    check_leftovers "$planted")
say "a clean tree is not complained about" "$clean"

missed=
expect() { # CHECK PATH TEXT WORDS: plant it, and hear about it
    local heard
    plant "$planted" "$2" "$3"
    heard=$("check_$1" "$planted")
    [[ $heard == *"$4"* ]] || missed+="$2: \"$4\" was not said"$'\n'
    rm "$planted/$2"
}
expect includes cli/bad.c '#include "plan.h"' 'cli/bad.c:1 includes src/plan.h'
expect includes bench/bad.cpp '#include "context.h"' 'includes src/context.h'
expect includes examples/bad.c '#include "kit.h"' 'includes kit/kit.h'
expect includes kit/bad.c '\n  #  include "base/base.h"' 'kit/bad.c:2 includes src/base/base.h'
expect includes src/base/bad.c '#include "device.h"' 'includes src/device.h'
expect includes src/kernels/bad.cu '#include "base.h"' 'includes src/base/base.h'
expect includes src/cpu/bad.c '#include "device.h"' 'includes src/device.h'
expect includes src/cuda/bad.c '#include "context.h"' 'includes src/context.h'
expect includes src/sim/bad.c '#include "passes.h"' 'includes src/passes.h'
expect includes src/plan.c '#include "device.h"' 'includes src/device.h'
expect includes src/passes.c '#include "context.h"' 'includes src/context.h'
expect includes src/order.c '#include "gone.h"' 'gone.h (not found)'
expect includes src/easy.c '#include "device.h"' 'includes src/device.h'
expect includes src/backend_cpu.c '#include "device.h"' 'includes src/device.h'
expect includes src/backend.h '#include "passes.h"' 'includes src/passes.h'
expect calls src/bad.c 'printf("x");' 'src/bad.c:1'
expect calls src/cpu/bad.c 'x = getenv("HOME");' 'src/cpu/bad.c:1'
expect sizes src/bad.c "$(seq 451)" 'src/bad.c has 451 lines'
expect leftovers docs/bad.md 'TO''DO: later' 'docs/bad.md:1'
say "each planted violation is named" "$missed"

say "arrows point down: every #include is allowed" "$(check_includes "$source_tree")"
say "src/ neither prints, exits nor reads the environment" "$(check_calls "$source_tree")"
say "no file has more than 450 lines" "$(check_sizes "$source_tree")"
say "nothing is left to be done later" "$(check_leftovers "$source_tree")"
echo "1..$number"
exit $failed
