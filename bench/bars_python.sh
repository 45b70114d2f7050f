# shellcheck shell=bash disable=SC2154 # sourced by bars.sh, which has the variables
# bars_python.sh - the bars of the Python package:
#
#   install    pip install of a fresh clone, the README's lines, the wheel's platform, and
#              the lines again in a root folder with Python and nothing else (for root)
#   cases      the Hypothesis tests, 600 cases each
#   device     tests with arrays of PyTorch and CuPy, where these and a GPU are
#   overhead   of a call, beyond the C call
#   numpy      beside NumPy, two threads
#   torch      beside PyTorch, on a GPU
#   cupy       beside CuPy, on a GPU
#
# PYTHON is a Python with numpy (and torch, cupy); without it, python3, or a virtual
# environment. The library is that of BUILD.

bare_root() { # WHEEL: a folder with the base Python, the wheel, NumPy and their libraries
    local root=$work/root base name
    read -r base name < <("$work/fresh/bin/python" -c \
        'import sys; print(sys.base_prefix, "python%d.%d" % sys.version_info[:2])')
    mkdir -p "$root$base/bin" "$root$base/lib" &&
        cp -L "$base/bin/$name" "$root$base/bin/python" &&
        cp -r "$base/lib/$name" "$root$base/lib" && rm -rf "$root$base/lib/$name/site-packages"
    cp -L "$base"/lib/lib"$name".so* "$root$base/lib" 2>/dev/null
    "$work/fresh/bin/pip" install -q --target "$root/site" "$1" &&
        cp "$work/readme.py" "$root" || return 1
    find "$root" \( -name '*.so*' -o -path "*/bin/python" \) -exec ldd {} + 2>/dev/null |
        grep -oE '/(lib|usr/lib)[^ ]*' | sort -u | while read -r file; do
        [ ! -f "$file" ] || { mkdir -p "$root${file%/*}" && cp -L "$file" "$root$file"; }
    done
    env -i PYTHONPATH=/site LD_LIBRARY_PATH="$base/lib" "$(command -v chroot)" "$root" \
        "$base/bin/python" /readme.py
}

python_install() {
    local log=$work/install.log env=$work/fresh wheel
    git clone -q "$tree" "$work/fresh-clone" 2>/dev/null && python3 -m venv "$env" || {
        tell install "no git or no venv here" skipped
        return
    }
    "$env/bin/pip" download -q --no-deps -d "$work" numpy >"$log" 2>&1 || {
        tell install "pip reaches no packages" skipped
        return
    }
    "$env/bin/pip" wheel -q --no-deps -w "$work" "$work/fresh-clone" >"$log" 2>&1
    wheel=$(ls "$work"/multiway-*.whl 2>/dev/null)
    judge install "pip wheel of a clone: $(basename "${wheel:-none}")" [ -n "$wheel" ]
    [ -n "$wheel" ] || { tail -n 5 "$log" >&2; return; }
    "$env/bin/pip" install -q "$wheel" auditwheel >"$log" 2>&1
    # shellcheck disable=SC2016 # backticks are meant
    sed -n '/^```python$/,/^```$/{/^```/d;p}' README.md >"$work/readme.py"
    (cd "$work" && env -i HOME="$work" PATH=/nonexistent "$env/bin/python" readme.py) \
        >"$log" 2>&1
    judge install "README's Python lines, no compiler on the path: status $?" [ $? = 0 ]
    if [ "$(id -u)" = 0 ]; then
        bare_root "$wheel" >"$log" 2>&1
        judge install "and in a root folder with Python alone: status $?" [ $? = 0 ]
    fi
    judge install "auditwheel: $("$env/bin/auditwheel" show "$wheel" 2>&1 |
        tr '\n' ' ' | grep -oE 'manylinux_[0-9_a-z]+' | head -n 1)" \
        bash -c "'$env/bin/auditwheel' show '$wheel' 2>&1 | grep -q manylinux_"
}

python_tests() { # BAR WHAT FILES OPTION...: pytest, where there is one
    local bar=$1 what=$2 files=$3 verdict
    shift 3
    "$python" -c "import pytest" 2>/dev/null || {
        tell "$bar" "no pytest" skipped
        return
    }
    # shellcheck disable=SC2086 # a pattern
    verdict=$(cd "$work" && "$python" -m pytest -q -p no:cacheprovider "$@" \
        "$tree"/tests/python/$files 2>&1 | tail -n 1)
    judge "$bar" "$what: $verdict" grep -qE '^[0-9]+ passed' <<<"$verdict"
}

python() {
    local part bar figure verdict
    python=${PYTHON:-}
    [ -n "$python" ] ||
        python=$(sh cmake/venv.sh "$work/env" tests/python/requirements.txt) ||
        python=python3
    export PYTHONPATH=$tree/python MULTIWAY_LIBRARY=$build/src/libmultiway.so
    export PYTHONDONTWRITEBYTECODE=1
    wanted install && python_install
    wanted cases && python_tests cases "10 tests of 600 cases, each on cpu and sim" \
        'test_[ps]*.py' --hypothesis-profile=full
    wanted device && python_tests device "PyTorch, CuPy" test_cuda.py
    for part in overhead numpy torch cupy; do
        wanted $part || continue
        while IFS=$'\t' read -r bar figure verdict; do
            tell "$bar" "$figure" "$verdict"
        done < <("$python" bench/python_bars.py $part 2>"$work/python.log" ||
            printf '%s\t%s\tmissed\n' $part "$(tail -n 1 "$work/python.log")")
    done
}
