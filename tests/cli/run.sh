#!/bin/sh
# run.sh [--update] [CASE ...] - play the cases of the command line, speak TAP.
#
# MULTIWAY is the binary, FAKE_RIVALS the folder of tests/bench's plugins. A case (cases/*.case) is a transcript:
#
#   # Its first line is its title; further such lines are notes.
#   $ a command, run by sh in an empty folder of the case's own
#   > and the command's next line, if it has one
#   what it writes to standard output
#   2> what it writes to standard error
#   ? 2
#
# where the last line is the exit status, if it is not 0. Summaries of sort and merge, whose
# figures vary, are left out of standard error. The case is played
# and must come out the same. A command that exits with 77 skips its case, for
# the reason it prints. --update rewrites the cases as they come out.
set -u

: "${MULTIWAY:?the multiway binary to test}"
case $MULTIWAY in
/*) ;;
*) MULTIWAY=$PWD/$MULTIWAY ;;
esac
here=$(cd "$(dirname "$0")" && pwd) || exit 1
update=
[ "${1-}" = --update ] && update=1 && shift
[ $# -gt 0 ] || set -- "$here"/cases/*.case

scratch=$(mktemp -d "${TMPDIR:-/tmp}/multiway-cli.XXXXXX") || exit 1
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$scratch/bin" "$scratch/home"
ln -s "$MULTIWAY" "$scratch/bin/multiway"

SOURCE=$(cd "$here/../.." && pwd)
PATH=$scratch/bin:$PATH
HOME=$scratch/home
LC_ALL=C
export SOURCE PATH HOME LC_ALL
unset XDG_CACHE_HOME
umask 022

# Run the command collected so far, if any, and write down what it says.
flush() {
    [ -n "$command" ] || return 0
    (cd "$scratch/folder" && exec sh -c "$command") \
        </dev/null >"$scratch/out" 2>"$scratch/err"
    status=$?
    command=
    awk 1 "$scratch/out" # which ends the last line where the command did not
    sed -E '/^multiway (sort|merge): .* overlapped$/d; s/^/2> /' "$scratch/err"
    [ "$status" = 0 ] || echo "? $status"
    [ "$status" != 77 ] || cp "$scratch/out" "$scratch/skip"
}

# The case on standard input, as it comes out.
play() {
    command=
    while IFS= read -r line; do
        case $line in
        '$ '*)
            flush
            command=${line#??}
            printf '%s\n' "$line"
            ;;
        '> '*)
            [ -n "$command" ] || continue
            command="$command
${line#??}"
            printf '%s\n' "$line"
            ;;
        '# '*)
            flush
            printf '%s\n' "$line"
            ;;
        *) flush ;;
        esac
        [ ! -e "$scratch/skip" ] || return 0
    done
    flush
}

number=0
failed=0
for file; do
    number=$((number + 1))
    title="$(basename "$file" .case): $(sed -n '1s/^# //p' "$file")"
    chmod -R u+w "$scratch/folder" 2>/dev/null
    rm -rf "$scratch/folder" "$scratch/skip"
    mkdir "$scratch/folder"
    play <"$file" >"$scratch/played"
    if [ -e "$scratch/skip" ]; then
        echo "ok $number - $title # SKIP $(head -n 1 "$scratch/skip")"
    elif diff -u "$file" "$scratch/played" >"$scratch/diff"; then
        echo "ok $number - $title"
    elif [ -n "$update" ]; then
        cp "$scratch/played" "$file"
        echo "ok $number - $title (updated)"
    else
        failed=$((failed + 1))
        echo "not ok $number - $title"
        sed 's/^/# /' "$scratch/diff"
    fi
done
echo "1..$number"
[ "$failed" = 0 ]
