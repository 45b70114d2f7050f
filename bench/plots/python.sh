#!/bin/sh
# python.sh BUILD - print the name of a Python that has matplotlib.
#
# The version of requirements.txt, so that the same numbers give the same files: the
# system's own if it is that, else one in a virtual environment below BUILD. Without
# network any matplotlib will do.
set -eu

here=$(dirname "$0")
wanted=$(sed -n 's/^matplotlib==//p' "$here/requirements.txt")
own=$1/plots/bin/python

version() {
    "$1" -c 'import matplotlib; print(matplotlib.__version__)' 2>/dev/null || true
}

for python in "$own" python3; do
    [ "$(version "$python")" = "$wanted" ] && echo "$python" && exit 0
done
if python3 -m venv "$1/plots" >&2 &&
    "$own" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt" >&2
then
    echo "$own"
    exit 0
fi
for python in python3 /usr/bin/python3; do
    if [ -n "$(version $python)" ]; then
        echo "Drawing with matplotlib $(version $python) instead of $wanted" >&2
        echo $python
        exit 0
    fi
done
echo "To draw the figures, please install Python 3 and matplotlib $wanted." >&2
exit 1
