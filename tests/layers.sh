#!/usr/bin/env bash
# layers.sh SOURCE - the rules of the house that a compiler does not check.
#
# Arrows point down: one row of the table below says what a file may include, and every
# #include "..." is checked against it. Besides: src/ and file/ neither print, nor exit, nor
# read the environment; files stay short; nothing is left to be done later. The checker is first
# tried on planted violations, each of which it must name.
#
# Speaks TAP.
# shellcheck disable=SC2086 # lists of folders
set -u

source_tree=$(realpath "$1")

# A folder, file or beginning of a path, then what it may include. The first row that
# fits counts. tests/ may look inside.
read -r -d '' table <<'ROWS'
include/multiway_insight.h include/multiway.h
include/multiway_file.h    include/multiway.h
include/                   -
kit/                       include/ kit/
file/                      include/ file/
cli/                       include/ kit/ cli/
bench/                     include/ kit/ bench/ cli/ mpi/multiway_*.h
mpi/command.c              include/ kit/ cli/ mpi/
mpi/part                   include/ kit/ cli/ mpi/
mpi/                       include/ mpi/
examples/                  include/
tests/                     include/ kit/ src/ tests/ bench/rivals.h cli/tally.h mpi/
src/base/                  include/ src/base/
src/kernels/kernel_files.h -
src/kernels/programs.h     src/base/ src/kernels/launch.h src/kernels/kernels.def
src/kernels/launch.h       src/kernels/launch_*.h src/base/field.inl
src/kernels/simt.h         src/kernels/launch.h src/sim/simt_sim.h
src/kernels/program.cu     src/kernels/
src/kernels/kernels.def    src/kernels/*.cu
src/kernels/               src/kernels/simt.h src/kernels/launch.h src/kernels/*.cuh src/kernels/*.inl src/base/code.inl
src/sim/simt_              include/multiway_insight.h src/sim/simt_ src/kernels/launch.h src/kernels/kernels.def
src/sim/                   include/ src/base/ src/device.h src/tune.def src/kernels/*.h src/kernels/kernels.def src/sim/
src/cuda/                  include/ src/base/ src/device.h src/kernels/*.h src/kernels/kernels.def src/cuda/
src/cpu/                   include/ src/base/ src/request.h src/cpu/
src/device.h               src/base/ src/kernels/programs.h
src/plan_lists             src/plan_lists.h src/plan_parts.h src/tune.def
src/plan_less.c            src/less.h src/plan_parts.h src/tune.def
src/passes_less.c          src/less.h src/kernels/launch.h
src/less.h                 src/passes.h src/request.h
src/plan                   src/base/ src/plan.h src/plan_parts.h src/tune.def src/kernels/launch.h src/kernels/programs.h
src/select                 src/select.h src/plan_parts.h src/request.h src/kernels/launch.h
src/rows                   src/rows.h src/plan_parts.h src/request.h
src/passes.h               src/base/ src/device.h src/plan.h src/rows.h
src/passes_launch.c src/passes.h src/kernels/launch.h src/kernels/kernels.def
src/passes_deal.c          src/passes.h src/kernels/launch.h
src/passes_tally.c         src/passes.h src/kernels/launch.h
src/passes.c               src/passes.h src/kernels/launch.h src/kernels/kernels.def
src/request.h              src/base/
src/backend.h              src/request.h
src/backend_cpu.c          src/backend.h src/cpu/cpu.h
src/backend_rows.c         src/backend_device.h
src/backend_lists.c        src/lists.h src/plan_parts.h
src/backend_split.c        src/lists.h src/less.h
src/backend_merge.c        src/merge.h
src/passes_merge.c         src/merge.h
src/merge.h                src/lists.h src/plan_lists.h
src/passes_lists.c         src/lists.h
src/lists.h                src/backend_device.h
src/backend_select         src/backend_device.h src/backend_select.h src/select.h
src/backend_segments       src/backend_device.h src/backend_segments.h src/backend_segments_fast.h
src/backend_stage.c        src/backend_device.h
src/backend_host           src/host.h src/plan_parts.h src/base/host.h
src/host.h                 src/lists.h
src/backend_less.c         src/backend_device.h src/less.h
src/backend_device         src/backend.h src/backend_device.h src/device.h src/passes.h
src/context.h              src/backend.h
src/api.c                  src/base/ src/context.h src/plan.h
src/                       src/base/ src/request.h src/context.h
ROWS

# Where the compiler looks for "name", after the folder of the file itself.
roots="include src src/kernels src/base src/sim kit tests cli mpi"

sources() { # FOLDER...: the C files in them
    find "$@" -type f \( -name '*.[ch]' -o -name '*.inl' -o -name '*.def' -o -name '*.cu' \
        -o -name '*.cuh' -o -name '*.cpp' \) 2>/dev/null | sort
}

resolve() { # FILE NAME: the path of the header
    local folder
    for folder in "$(dirname "$1")" $roots; do
        [ -f "$folder/$2" ] && realpath -s --relative-to=. "$folder/$2" && return
    done
    echo "$2 (not found)"
}

allowed() { # FILE HEADER: does the table let the one include the other?
    local who what row
    while read -r who row; do
        [[ $1 == "$who"* ]] || continue
        for what in $row; do
            [[ $what == */ || $what == *_ ]] && what+='*' # not the end of a name
            # shellcheck disable=SC2053 # a pattern
            [[ $2 == $what ]] && return 0
        done
        return 1
    done <<<"$table"
    return 1
}

# Each check looks at the tree below the current folder and prints its complaints.
everything="include src file kit cli mpi bench examples tests"

check_includes() {
    local file line name header
    while IFS=: read -r file line name; do
        name=${name#*\"}
        header=$(resolve "$file" "${name%%\"*}")
        allowed "$file" "$header" || echo "$file:$line includes $header"
    done < <(sources $everything |
        xargs -r grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null)
}

check_calls() {
    local names='v?f?printf|puts|putchar|perror|_?exit|_Exit|quick_exit|abort|(secure_)?getenv'
    sources src file | xargs -r grep -nE "(^|[^[:alnum:]_])($names)[[:space:]]*\\(" /dev/null
}

check_sizes() {
    { sources $everything
        find tests cmake examples -name '*.sh' -o -name '*.cmake' 2>/dev/null; } |
        xargs -r wc -l | awk '$1 > 450 && $2 != "total" { print $2 " has " $1 " lines" }'
}

check_leftovers() {
    find $everything cmake docs ./*.md ./*.txt -type f ! -path '*/results/*' -print0 \
        2>/dev/null | xargs -0 -r grep -nIwE 'TO''DO|FIX''ME|XX''X' /dev/null
}

# shellcheck source=tests/say.sh
. "$source_tree/tests/say.sh"
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
cd "$planted" || exit 1
mkdir -p include kit cli file mpi bench examples docs src/{base,kernels,cpu,cuda,sim}
touch kit/kit.h src/{base/base,kernels/launch,plan,passes,context,device,cpu/cpu,sim/ledger}.h

todo='TO''DO'
# Violations: a file, its text and what is said about it, to the letter.
while IFS='|' read -r path text words; do
    printf '\n%b\n' "$text" >"$path"
    echo "$path$words"
done >expected <<FILES
file/a.c|#include "plan.h"|:2 includes src/plan.h
file/b.c|puts("x");|:2:puts("x");
cli/a.c|#include "plan.h"|:2 includes src/plan.h
cli/b.c| # include "../src/plan.h"|:2 includes src/plan.h
mpi/a.c|#include "kit.h"|:2 includes kit/kit.h
bench/a.cpp|#include "context.h"|:2 includes src/context.h
examples/a.c|#include "kit.h"|:2 includes kit/kit.h
kit/a.c|#include "base/base.h"|:2 includes src/base/base.h
include/a.h|#include "plan.h"|:2 includes src/plan.h
src/base/a.c|#include "device.h"|:2 includes src/device.h
src/kernels/a.cu|#include "base.h"|:2 includes src/base/base.h
src/kernels/a.cuh|#include "ledger.h"|:2 includes src/sim/ledger.h
src/cpu/a.inl|#include "kernels/launch.h"|:2 includes src/kernels/launch.h
src/cuda/a.c|#include "sim/ledger.h"|:2 includes src/sim/ledger.h
src/sim/a.c|#include "passes.h"|:2 includes src/passes.h
src/plan.c|#include "device.h"|:2 includes src/device.h
src/passes.c|#include "context.h"|:2 includes src/context.h
src/rows.c|#include "device.h"|:2 includes src/device.h
src/order.c|#include "gone.h"|:2 includes gone.h (not found)
src/easy.c|#include "cpu/cpu.h"|:2 includes src/cpu/cpu.h
src/backend_cpu.c|#include "device.h"|:2 includes src/device.h
src/backend.h|#include "passes.h"|:2 includes src/passes.h
src/c.c|printf("x"); /* of printf, snprintf( */|:2:printf("x"); /* of printf, snprintf( */
src/cpu/c.c|x = getenv ("HOME");|:2:x = getenv ("HOME");
src/base/c.inl|abort();|:2:abort();
src/long.c|$(printf '\\n%.0s' {1..449})| has 451 lines
docs/a.md|${todo}: later|:2:${todo}: later
FILES
say "each planted violation is named, and nothing else" "$(diff <(sort expected) \
    <({ check_includes; check_calls; check_sizes; check_leftovers; } | sort))"

cd "$source_tree" || exit 1
say "arrows point down: every #include is allowed" "$(check_includes)"
say "src/ and file/ neither print, exit nor read the environment" "$(check_calls)"
say "no file has more than 450 lines" "$(check_sizes)"
say "nothing is left to be done later" "$(check_leftovers)"
echo "1..$number"
exit $failed
