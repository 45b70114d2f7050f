#!/usr/bin/env bash
# docs.sh SOURCE COMMAND - check the documents against the tree and the command.
#
#   ```sh      each line is run, in a folder of its document's own, with COMMAND
#              in PATH; the Makefile must have the targets of make lines, and lines for
#              other tools or for a GPU are skipped
#   ```c and   must stand word for word in the file named in a comment above:
#   ```cmake   <!-- is FILE --> for all of it, <!-- from FILE --> for a part; so must a
#              block marked text that has such a comment, as output of a tested case
#
# In a document that begins with <!-- compile, blocks of C without such a comment are
# compiled instead: the first at file scope, each of the others in a function after it.
#
# Links and paths must lead somewhere, and every mw_ name must be in a header; only the
# changelog also names what was removed.
#
# Speaks TAP.
# shellcheck disable=SC2013,SC2016,SC2030,SC2031 # words and backticks are meant; a subshell counts anew
set -u

source_tree=$(cd "$1" && pwd)
PATH=$(cd "$(dirname "$2")" && pwd):$PATH
cd "$source_tree" || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/say.sh
. "$source_tree/tests/say.sh"

# Cut a document's code blocks into files $work/blocks/N.LANGUAGE; the marker
# above block N, if there is one, into N.marker.
cut_blocks() {
    rm -rf "$work/blocks"
    mkdir "$work/blocks"
    awk -v to="$work/blocks/" '
        /^```/ && !inside && $0 != "```" {
            inside = 1
            out = to sprintf("%03d", ++n)
            if (marker != "")
                print marker >(out ".marker")
            marker = ""
            out = out "." substr($0, 4)
            printf "" >out
            next
        }
        /^```/ { inside = !inside; out = ""; next }
        inside && out != "" { print >out }
        !inside && NF { marker = /^<!-- (is|from) [^ ]+ -->$/ ? $2 " " $3 : "" }
    ' "$1"
}

run_line() { # DOCUMENT LINE
    local complaint=
    case $2 in
    make*)
        say "$1: $2" "$(for target in $(sed 's/"[^"]*"//g; s/^make//' <<<"$2"); do
            [[ $target == *=* ]] || grep -q "^$target:" Makefile || echo "no target $target"
        done)"
        ;;
    *cuda*) skip "$1: $2" "needs a GPU" ;;
    multiway\ *)
        (cd "$work/here" && bash -c "set -o pipefail; $2" >"$work/log" 2>&1) ||
            complaint="status $?: $(tail -n 5 "$work/log")"
        say "$1: $2" "$complaint"
        ;;
    *) skip "$1: $2" "not a line of ours" ;;
    esac
}

run_block() { # DOCUMENT FILE: lines, joined at a \, without explanations
    local line
    while IFS= read -r line; do
        run_line "$1" "$line"
    done < <(sed -e ':a' -e '/\\$/ { N; s/\\\n//; ba' -e '}' "$2" |
        sed 's/  #.*//; s/  */ /g; s/^ //; s/ $//; /^#/d; /^$/d')
}

compare_block() { # DOCUMENT FILE
    local how from
    if ! read -r how from 2>/dev/null <"${2%.*}.marker"; then
        say "$1: a block of ${2##*.} says where it is from" "$(head -n 3 "$2")"
        return
    fi
    if [ "$how" = is ]; then
        say "$1 quotes $from" "$(diff "$from" "$2" 2>&1)"
    else
        say "$1 quotes $from" "$(awk 'FNR == NR { quote = quote $0 "\n"; next }
            { text = text $0 "\n" }
            END { if (!index("\n" text, "\n" quote)) print "not there:\n" quote }
            ' "$2" "$from" 2>&1)"
    fi
}

compile_block() { # DOCUMENT FILE
    if [ ! -e "$work/blocks/first" ]; then
        cp "$2" "$work/blocks/first"
        return
    fi
    {
        echo '#include <multiway.h>'
        cat "$work/blocks/first"
        printf 'void block(void);\nvoid block(void)\n{\n'
        cat "$2"
        echo '}'
    } >"$work/block.c"
    say "$1: block $(basename "$2" .c) compiles" \
        "$("${CC:-cc}" -std=c11 -fsyntax-only -Wall -Werror -Iinclude "$work/block.c" 2>&1)"
}

check_paths() { # links, and `folder/...` in backticks
    local folder path
    folder=$(dirname "$1")
    grep -oE '\]\([^)#]+' "$1" | sed 's/^](//' | grep -vE '^(https?|mailto):' | sort -u |
        while read -r path; do
            [ -e "$folder/$path" ] || echo "no $path, to which a link leads"
        done
    grep -oE '`(src|include|kit|cli|mpi|tests|docs|examples|bench|cmake|python)/[][A-Za-z0-9_./*-]*`' "$1" |
        tr -d '`' | sort -u | while read -r path; do
            compgen -G "$path" >/dev/null || echo "no $path"
        done
}

check_names() { # every mw_ and MW_ word, but for the build's own options
    [ "$1" != CHANGELOG.md ] || return 0
    grep -owE '(mw|MW)_[A-Za-z0-9_]*[A-Za-z0-9]' "$1" | sort -u | while read -r name; do
        grep -qw "$name" include/*.h mpi/multiway_*.h CMakeLists.txt cmake/*.cmake \
            tests/CMakeLists.txt bench/rivals/CMakeLists.txt ||
            echo "there is no $name"
    done
}

check_document() {
    local block compiles
    compiles=$(sed -n '1s/^<!-- compile.*/1/p' "$1")
    rm -rf "$work/here"
    mkdir "$work/here"
    cut_blocks "$1"
    for block in "$work"/blocks/*; do
        case $block in
        *.sh) run_block "$1" "$block" ;;
        *.c)
            if [ -n "$compiles" ] && [ ! -e "${block%.*}.marker" ]; then
                compile_block "$1" "$block"
            else
                compare_block "$1" "$block"
            fi
            ;;
        *.cmake | *.cpp | *.cu) compare_block "$1" "$block" ;;
        *.text) [ ! -e "${block%.*}.marker" ] || compare_block "$1" "$block" ;;
        esac
    done
    say "$1: links and paths lead somewhere" "$(check_paths "$1")"
    say "$1: names are those of the header" "$(check_names "$1")"
}

for document in README.md CHANGELOG.md CONTRIBUTING.md docs/*.md; do
    check_document "$document"
done

# The checks themselves, on a document that is wrong in every way: three blocks of C, one
# of text, two lines to run, links and names.
cat >"$work/wrong.md" <<'WRONG'
A [link](nowhere.md), `src/nothing.c`, mw_nothing.
```c
int unmarked;
```
<!-- is examples/01_sort.c -->
```c
int main(void)
```
<!-- from examples/01_sort.c -->
```c
int main(void)
{
    int wrong;
```
<!-- from examples/01_sort.c -->
```text
what it never printed
```
```sh
multiway nothing
make nothing
```
WRONG
heard=$(check_document "$work/wrong.md")
[ "$(grep -c '^not ok' <<<"$heard")" = 8 ] && heard=
say "a wrong document is found wrong" "$heard"
printf '<!-- compile -->\n```c\nint count;\n```\n```c\ncount = wrong;\n```\n' >"$work/wrong.md"
heard=$(check_document "$work/wrong.md")
[ "$(grep -c '^not ok' <<<"$heard")" = 1 ] && heard=
say "a block that does not compile is found" "$heard"
echo "1..$number"
exit $failed
