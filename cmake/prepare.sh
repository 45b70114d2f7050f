#!/bin/sh
# Make sure there is a C compiler with its headers, and CMake. On Debian and its
# children, as root, what is missing is installed; elsewhere it is named.
set -eu

missing=
command -v cmake >/dev/null || missing="$missing cmake"
command -v make >/dev/null || missing="$missing make"
printf '#include <stdio.h>\nint main(void) { return 0; }\n' |
    ${CC:-cc} -x c -o /dev/null - 2>/dev/null || missing="$missing gcc libc6-dev"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing$missing"
    apt-get update -qq
    # shellcheck disable=SC2086 # a list of names
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
else
    echo "To build Multiway, please install:$missing" >&2
    exit 1
fi
