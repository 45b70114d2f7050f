#!/usr/bin/env bash
# mutants.sh TREE LIST [JOBS] - plant each fault of LIST (tests/mutants.tsv) into a copy
# of TREE, one at a time, and see which test catches it. Nothing is written to TREE.
#
# Prints a line for each fault: name, result, test, seconds, file, separated by tabs. The
# result is "caught", SURVIVED, NO-MATCH (the old text is not there exactly once) or
# NO-COMPILE. Faults of two outputs that were caught before and are not now:
#   awk -F'\t' 'NR == FNR { was[$1] = $2; next }
#       was[$1] == "caught" && $2 != "caught"' BEFORE AFTER
#
# A row of LIST: name, file (or a pattern, src/*.c), old text, new text, tests to try
# first. A blank in the old text matches any white space. Rows of one name are spellings
# of one fault for different states of the code: the first that fits is taken.
#
# The other tests are built and run only if those let a fault pass. Tests that fail without
# a fault catch none, nor do `property` (random cases) and `kernels_compile` (runs none).
# MUTANTS_ONLY is a pattern of names; MUTANTS_REST=no leaves out the other tests.
set -u

# As a compiler's launcher: the cache has the object if it has the preprocessed text.
if [ "$1" = --compile ]; then
    shift
    object='' read=("$@")
    for ((i = 1; i < $#; i++)); do
        [ "${read[i]}" = -o ] && object=${read[i + 1]} read[i + 1]=/dev/stdout
        [ "${read[i]}" = -c ] && read[i]=-E
    done
    [[ " ${read[*]} " == *' -E '* ]] || exec "$@"
    hash=$({ echo "${@//$MUTANTS_ROOT/}" && "${read[@]}" -P || echo $RANDOM; } | md5sum)
    kept=$MUTANTS_CACHE/${hash%% *}
    [ -f "$kept" ] && exec cp "$kept" "$object"
    "$@" && cp "$object" "$kept.$$" && mv "$kept.$$" "$kept"
    exit
fi

export CUDA_VISIBLE_DEVICES=-1 MUTANTS_CACHE MUTANTS_ROOT # the same tests, GPU or not
script=$(realpath "$0") tree=$(realpath "$1") list=$(realpath "$2") jobs=${3:-$(nproc)}
work=$(mktemp -d "${TMPDIR:-/tmp}/mutants.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "${MUTANTS_CACHE:=$work/cache}" "$work/taken"

copy() { # NAME: the tree, configured, in $work/NAME, which what follows works in
    MUTANTS_ROOT=$work/$1 && mkdir -p "$MUTANTS_ROOT/tree"
    find "$tree" -mindepth 1 -maxdepth 1 ! -name 'build*' ! -name .git \
        -exec cp -R -t "$MUTANTS_ROOT/tree" {} +
    cmake -S "$MUTANTS_ROOT/tree" -B "$MUTANTS_ROOT/build" -DMW_CUDA=OFF \
        -G "$(command -v ninja >/dev/null && echo Ninja || echo 'Unix Makefiles')" \
        "-DCMAKE_C_FLAGS=-fmacro-prefix-map=$MUTANTS_ROOT=." \
        "-DCMAKE_C_COMPILER_LAUNCHER=$script;--compile" &>"$MUTANTS_ROOT/log" &&
        find "$MUTANTS_ROOT/build" -name CTestTestfile.cmake \
            -exec sed -i 's/TIMEOUT "[0-9]*"/TIMEOUT "200"/' {} +
}

build() { # JOBS [TARGET]
    cmake --build "$MUTANTS_ROOT/build" -j "$1" --target "${2:-all}" &>"$MUTANTS_ROOT/log"
}

try() { # OPTION...: run tests; the names of those that fail
    ctest --test-dir "$MUTANTS_ROOT/build" --timeout 200 "$@" &>"$MUTANTS_ROOT/log" ||
        sed -n '/tests FAILED:/,$s/^\t *[0-9]* - \([^ ]*\) (.*/\1/p' "$MUTANTS_ROOT/log"
}

plant() { # NAME: change the text; print the file and the tests to try first
    python3 - "$MUTANTS_ROOT/tree/" "$list" "$1" <<'PYTHON'
import glob, re, sys
tree, rows, name = sys.argv[1:]
for row in (line.rstrip('\n').split('\t') for line in open(rows)):
    old = row[0] == name and re.compile(r'\s+'.join(map(re.escape, row[2].split())))
    texts = {path: open(path).read() for path in glob.glob(tree + row[1])} if old else {}
    found = [path for path in texts for match in old.finditer(texts[path])]
    if len(found) == 1:
        open(found[0], 'w').write(old.sub(lambda match: row[3], texts[found[0]]))
        print(found[0][len(tree):], row[4], sep='\t')
        break
PYTHON
}

judge() { # TEST...: the result, and the test that tells
    for name in "$@"; do
        target=$(grep "^$name " "$work/targets") || continue
        build 1 "${target#* }" || { echo NO-COMPILE && return; }
        [ "$(try -R "^$name\$")" ] && printf 'caught\t%s' "$name" && return
    done
    [ "${MUTANTS_REST:-}" = no ] && echo 'not caught yet' && return
    build 2 || { echo NO-COMPILE && return; }
    by=$(try -j 2 --stop-on-failure -E "^($(echo "$@" $left_out | tr ' ' '|'))\$")
    [ "$by" ] && printf 'caught\t%s' "${by%%$'\n'*}" || echo SURVIVED
}

worker() { # NUMBER: take faults until none is left
    copy "$1"
    for name in $names; do
        mkdir "$work/taken/$name" 2>/dev/null || continue
        begun=$SECONDS result=NO-MATCH
        IFS=$'\t' read -r file tests < <(plant "$name")
        if [ "$file" ]; then
            result=$(judge $tests)
            cp "$tree/$file" "$MUTANTS_ROOT/tree/$file" # newer than the object
        fi
        [[ $result == *$'\t'* ]] || result+=$'\t-'
        printf '%s\t%s\t%d\t%s\n' "$name" "$result" $((SECONDS - begun)) "${file:--}"
    done
}

names=$(cut -f 1 "$list" | grep -v '^#' | uniq | grep -E "${MUTANTS_ONLY:-.}")
copy base || { tail "$work/base/log" >&2 && exit 1; }
# Each test and the target that makes it; a script needs all.
grep -rh --include=CTestTestfile.cmake '^add_test' "$work/base/build" |
    sed -E 's:^add_test\(\W*(\w+)[^"]*"[^"]*/base/build/[^"]*/(\w+)".*:\1 \2:
        s:^add_test\(\W*(\w+).*:\1 all:' >"$work/targets"
left_out="property kernels_compile"
if [ "${MUTANTS_REST:-}" != no ]; then
    build "$jobs" || { tail "$work/base/log" >&2 && exit 1; }
    left_out+=" $(try -j "$jobs" -E "^(${left_out/ /|})\$" | tr '\n' ' ')"
fi
for name in $left_out; do sed -i "/^$name /d" "$work/targets"; done
for ((i = 1; i <= jobs; i++)); do worker "$i" & done | tee "$work/results"
echo "# tests left out: $left_out"
cut -f 2 "$work/results" | sort | uniq -c | sed 's/^ */# /'
