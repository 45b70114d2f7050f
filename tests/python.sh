#!/usr/bin/env bash
# python.sh SOURCE BUILD - the tests of the Python package, against the library in BUILD.
#
# pytest and what the tests need come from the system or from a virtual environment in
# BUILD. Speaks TAP.
set -u

source_tree=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

if grep -q '^MW_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt"; then
    skip_all "Python was not built with sanitizers"
fi
python=$(sh "$source_tree/cmake/venv.sh" "$build/tests/python-env" \
    "$source_tree/tests/python/requirements.txt" 2>"$build/tests/python-env.log") ||
    skip_all "$(tail -n 1 "$build/tests/python-env.log")"
export MULTIWAY_LIBRARY=$build/src/libmultiway.so PYTHONPATH=$source_tree/python
export PYTHONDONTWRITEBYTECODE=1
cd "$build/tests" || exit 1
exec "$python" -m pytest -q -p no:cacheprovider --tb=short "$source_tree/tests/python"
