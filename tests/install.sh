#!/usr/bin/env bash
# install.sh SOURCE BUILD - install what BUILD holds and use it as a stranger would:
# through find_package, through pkg-config, statically, from C and from C++.
#
# Speaks TAP.
# shellcheck disable=SC2317 # functions are called by name
set -u

source_tree=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
user=$source_tree/tests/install
cc=${CC:-cc}
cxx=${CXX:-c++}
strict=(-pedantic -Wall -Wextra -Wshadow -Werror)

if grep -q '^MW_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt"; then
    echo '1..0 # SKIP a library built with sanitizers is not for strangers'
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
# shellcheck source=tests/say.sh
. "$source_tree/tests/say.sh"

try() { # NAME COMMAND...: one case, passed if the command succeeds
    local name=$1 log
    shift
    log=$("$@" 2>&1) && log= || log="status $?: $log"
    say "$name" "$log"
}

try "install into a folder" cmake --install "$build" --prefix "$prefix"

pc=$(find "$prefix" -name multiway.pc)
libdir=$(dirname "$(dirname "$pc")")
static=$libdir/libmultiway.a
shared=$libdir/libmultiway.so
version=$(sed -n 's/^Version: //p' "$pc")
soname=libmultiway.so.${version%.*}

exports() { # NM-OPTION LIBRARY HEADER...: exactly the functions that the headers declare
    local option=$1 library=$2
    shift 2
    diff <(nm "$option" --defined-only "$library" | awk 'NF == 3 { print $NF }' | sort) \
        <(sed -n '/^MW_API/s/.*[ *]\(mw_[a-z_]*\)(.*/\1/p' "${@/#/$prefix/include/}" | sort)
}

# The MPI of the build, if it has one: its header is not ours to be strict with.
mpi_include=$(sed -n 's/^MPI_C_HEADER_DIR:PATH=//p' "$build/CMakeCache.txt")
[ -e "$prefix/include/multiway_mpi.h" ] || mpi_include=

headers_and_examples() { # COMPILER...: each header by itself and every example, strictly
    local file
    for file in "$prefix"/include/*.h "$source_tree"/examples/*.c; do
        [ -n "$mpi_include" ] || [[ $file != *_mpi.[ch] ]] || continue
        "$@" "${strict[@]}" "-I$prefix/include" ${mpi_include:+-isystem "$mpi_include"} \
            -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -fsyntax-only "$file" || return 1
    done
}

try "headers, command, libraries and man page are there" ls \
    "$prefix/include/multiway.h" "$prefix/include/multiway_insight.h" "$prefix/include/multiway_file.h" \
    "$prefix/bin/multiway" \
    "$static" "$shared" "$libdir/$soname" "$libdir/libmultiway.so.$version" "$prefix/share/man/man1/multiway.1"
try "the soname names major and minor version" \
    bash -c "readelf -d '$shared' | grep -F 'Library soname: [$soname]'"
try "the shared library exports what the headers declare" exports -D "$shared" \
    multiway.h multiway_insight.h multiway_file.h
try "so does the static library" exports -g "$static" multiway.h multiway_insight.h multiway_file.h
try "and libmultiway_across" exports -D "$libdir/libmultiway_across.so" multiway_across.h
try "the command runs from there" "$prefix/bin/multiway" --version
no_bench() { # it is installed on request only, and the command says so
    ! "$prefix/bin/multiway" bench 2>"$work/bench" && grep -q MW_INSTALL_BENCH "$work/bench"
}
try "and says how to get multiway-bench" no_bench
pages=("$prefix/share/man/man1/multiway.1" ${mpi_include:+"$prefix/share/man/man1/multiway-mpi.1"})
if command -v man >/dev/null; then
    try "man can show the pages" env MANWIDTH=80 man -l "${pages[@]}"
else
    skip "man can show the pages" "there is no man"
fi

try "find_package configures a project" \
    cmake -S "$user" -B "$work/user" -DCMAKE_PREFIX_PATH="$prefix"
try "and builds it" cmake --build "$work/user"
try "which runs with the shared library" "$work/user/user"
try "and with the static one" "$work/user/user_static"
try "which needs no shared library of ours" \
    bash -c "! readelf -d '$work/user/user_static' | grep -F multiway"
printf 'find_package(multiway 0.0 REQUIRED)\n' >"$work/other.cmake"
try "find_package refuses another minor version" bash -c "cmake -S '$user' -B '$work/other' \
    -DCMAKE_PREFIX_PATH='$prefix' -DCMAKE_PROJECT_INCLUDE='$work/other.cmake' 2>&1 |
    tr '\n' ' ' | grep 'compatible *with *requested *version'"

mpicc=$(sed -n 's/^MPI_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
if [ -n "$mpi_include" ]; then
    try "find_package with the component mpi" \
        cmake -S "$user/mpi" -B "$work/mpi" -DCMAKE_PREFIX_PATH="$prefix" \
        "-DMPI_C_COMPILER=$mpicc"
    try "builds a program for MPI" cmake --build "$work/mpi"
    try "as another mpicc would, from the source of the communicator" \
        "$mpicc" -std=c11 "-I$prefix/include" "$source_tree/examples/15_mpi.c" \
        "$prefix/share/multiway/multiway_mpi.c" -o "$work/mpi_source" "-L$libdir" \
        -lmultiway_across "-Wl,-rpath-link,$libdir" -lmultiway
    other_mpicc=$(for name in mpicc.openmpi mpicc.mpich; do
        { "$name" -show | grep -qF "$mpi_include"; } 2>/dev/null || command -v "$name"
    done | head -n 1)
    if [ -n "$other_mpicc" ]; then
        try "find_package refuses another MPI" bash -c "cmake -S '$user/mpi' -B '$work/mpi_other' \
            -DCMAKE_PREFIX_PATH='$prefix' -DMPI_C_COMPILER='$other_mpicc' 2>&1 |
            tr '\n' ' ' | grep 'compiled *for *the *MPI'"
    else
        skip "find_package refuses another MPI" "there is one MPI"
    fi
else
    skip "the component mpi" "no MPI was found"
fi

try "headers and examples are C11" headers_and_examples "$cc" -x c -std=c11
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=${pc%/*}
    read -ra flags < <(pkg-config --cflags --libs multiway)
    try "C11 through pkg-config, no warnings" \
        "$cc" -std=c11 "${strict[@]}" "$user/user.c" -o "$work/c" "${flags[@]}"
    try "and it runs" env LD_LIBRARY_PATH="$libdir" "$work/c"
    # Kept: the library by its full name, which -lmultiway would take as shared.
    read -ra flags < <(pkg-config --cflags --libs --static multiway |
        sed "s,-lmultiway,$static,")
    try "statically through pkg-config" \
        "$cc" -std=c11 "${strict[@]}" "$user/user.c" -o "$work/c_static" "${flags[@]}"
    try "and it runs" "$work/c_static"
    try "pkg-config knows multiway-across" bash -c \
        "pkg-config --libs multiway-across | grep -F -- '-lmultiway_across'"
    if [ -n "$mpi_include" ]; then
        read -ra flags < <(pkg-config --cflags --libs multiway-mpi)
        try "an MPI's compiler through pkg-config" "$mpicc" -std=c11 \
            "$source_tree/examples/15_mpi.c" -o "$work/mpi_pc" "${flags[@]}"
    else
        skip "an MPI's compiler through pkg-config" "no MPI was found"
    fi
    mv "$prefix" "$work/moved"
    try "pkg-config still finds it after a move" bash -c \
        "PKG_CONFIG_PATH='${pc%/*}'; PKG_CONFIG_PATH=\${PKG_CONFIG_PATH/'$prefix'/'$work/moved'}
         export PKG_CONFIG_PATH; pkg-config --cflags multiway | grep -F '$work/moved'"
    mv "$work/moved" "$prefix"
else
    skip "C and static through pkg-config" "there is no pkg-config"
fi

if command -v "$cxx" >/dev/null; then
    try "headers and examples are C++17" headers_and_examples "$cxx" -x c++ -std=c++17
    try "C++17, no warnings" "$cxx" -x c++ -std=c++17 "${strict[@]}" "-I$prefix/include" \
        "$user/user.c" -o "$work/cpp" "-L$libdir" -lmultiway
    try "and it runs" env LD_LIBRARY_PATH="$libdir" "$work/cpp"
else
    skip "C++17" "there is no C++ compiler"
fi
echo "1..$number"
exit $failed
