#!/bin/sh
# Make sure there is a C compiler with its headers, and CMake. On Debian and its
# children, as root, what is missing is installed; elsewhere it is named. With "mpi", also
# try to install an MPI there: without one, tests that need it are skipped.
set -eu

if [ "${1:-}" = mpi ]; then
    command -v mpicc >/dev/null && exit 0
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 0
    { timeout 60 apt-get update -qq && DEBIAN_FRONTEND=noninteractive timeout 180 \
        apt-get install -y -qq --no-install-recommends libopenmpi-dev openmpi-bin; } \
        >/dev/null 2>&1 || echo "No MPI could be installed: its tests are skipped."
    exit 0
fi

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
