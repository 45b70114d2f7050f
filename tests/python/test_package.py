"""Lists, segments, errors, handles, threads, forks, other arrays, and the docstrings."""
import ctypes
import doctest
import importlib.util
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import multiway
from cases import NUMBERS, REAL, array_of, same
from multiway import _handle, _insight, _lists, _order, _select, _sort
from multiway import _native as native
from strategies import arrays

ROOT = Path(__file__).parents[2]


@given(st.sampled_from(REAL), st.lists(st.integers(0, 60), min_size=1, max_size=9),
       st.integers(0, 999), st.booleans(), st.lists(st.integers(0, 400), max_size=5))
def test_merge_and_split(device, dtype, lengths, seed, down, ranks):
    lists = [multiway.sort(array_of(dtype, n, 5, seed + i), descending=down)
             for i, n in enumerate(lengths)]
    whole = np.concatenate(lists)
    merged = multiway.merge(lists, descending=down, device=device)
    by = multiway.argsort(whole, descending=down)
    same(merged, whole[by])
    number = np.repeat(np.arange(len(lists)), lengths)[by]  # of the list each came from
    cuts = multiway.split(lists, ranks, descending=down, device=device)
    assert cuts.tolist() == [np.bincount(number[:r], minlength=len(lists)).tolist()
                             for r in ranks]
    assert multiway.is_sorted(merged, descending=down, device=device)
    first = array_of(dtype, 50, 30, seed)
    assert multiway.is_sorted(first, device=device) == bool(
        (multiway.argsort(first) == np.arange(50)).all())


@given(arrays(NUMBERS, dimensions=1), st.lists(st.integers(0, 5000), max_size=12),
       st.sampled_from(["i4", "u4", "i8", "u8"]))
def test_segments(device, x, cuts, dtype):
    offsets = np.sort(np.array(cuts, dtype).clip(0, x.size))
    expected = x.copy()
    for begin, end in zip(offsets[:-1:2], offsets[1::2]):
        expected[begin:end] = np.sort(x[begin:end])
    ours = multiway.segmented_sort(x, offsets[:-1:2], offsets[1::2], device=device)
    np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("call, error, words", [
    (lambda: multiway.sort(np.array([object()])), TypeError, "cannot sort dtype object"),
    (lambda: multiway.sort(np.zeros(3, "g")), TypeError, "cannot sort"),
    (lambda: multiway.sort(np.zeros(3), device="gpu"), ValueError, "unknown device"),
    (lambda: multiway.sort(np.zeros(3), axis=1), ValueError, "axis 1 is out of bounds"),
    (lambda: multiway.sort(np.float32(3)), ValueError, "out of bounds"),
    (lambda: multiway.sort(np.zeros(3), order="a"), ValueError, "has none"),
    (lambda: multiway.sort(np.zeros(3, "i4,i4"), order="f2"), ValueError, "unknown field"),
    (lambda: multiway.sort(np.zeros(3), out=np.zeros(4)), ValueError, "expected float64"),
    (lambda: multiway.sort(np.zeros(3), out=[0.0] * 3), ValueError, "type list"),
    (lambda: multiway.sort(np.zeros(3), out=np.ma.zeros(3)), ValueError, "MaskedArray"),
    (lambda: multiway.argsort(np.zeros(3), dtype="f4"), TypeError, "positions of dtype"),
    (lambda: multiway.top_k(np.zeros(3), 4), ValueError, "expected 0 to 3"),
    (lambda: multiway.top_k(np.zeros(3), 1, mode="all"), ValueError, "largest"),
    (lambda: multiway.nth(np.zeros(3), 3), ValueError, "rank 3 of 3"),
    (lambda: multiway.sort_by(np.zeros(3), np.zeros(2)), ValueError, "expected 3"),
    (lambda: multiway.merge([np.zeros(3), np.zeros(3, int)]), ValueError, "list 1"),
    (lambda: multiway.split([np.zeros(3)], [-1]), ValueError, "negative"),
    (lambda: multiway.sort(np.zeros(3, "V5000")), multiway.MultiwayError, "1 to 4096"),
    (lambda: multiway.sort(np.zeros((2, 2), "i4"), order=multiway.Order(less="1")),
     ValueError, "declarations"),
    (lambda: multiway.sort(np.zeros(2), order=multiway.Order(
        less="1", declarations="typedef double mw_element;")), multiway.MultiwayError,
     "less_on_host"),
    (lambda: multiway.sort(np.zeros(3, "i4,i4"), order=["f0", "-f0"]), ValueError, "twice"),
    (lambda: multiway.sort(np.zeros(3, "i4,i4"), order=[1]), TypeError, "field 1"),
    (lambda: multiway.sort(np.zeros(3), order=3), TypeError, "order is 3"),
    (lambda: multiway.sort(np.zeros(3), order=multiway.Order(on_host=len)), TypeError,
     "expected a ctypes function"),
    (lambda: multiway.sort(np.zeros(3), order=multiway.Order(on_host="f")), TypeError,
     "expected a ctypes function"),
    (lambda: multiway.sort(np.zeros(3), order=multiway.Order(less=1)), TypeError,
     "less is 1"),
    (lambda: multiway.sort(np.zeros(3), device=1), TypeError, "device is 1"),
    (lambda: multiway.sort(np.zeros(3), device="cpu\0"), TypeError, "device is"),
    (lambda: multiway.sort(np.ma.array([2, 1], mask=[0, 1])), TypeError, "masked"),
    (lambda: multiway.sort_by([2, 1], np.array([{}, []], object)), TypeError, "objects"),
    (lambda: multiway.sort_by([2, 1], np.zeros(2, [("o", object)])), TypeError, "objects"),
    (lambda: multiway.is_sorted(np.array([{}])), TypeError, "dtype object"),
    (lambda: multiway.segmented_sort(np.zeros(3), [0.5], [2]), TypeError, "integers"),
    (lambda: multiway.split([np.zeros(3)], [1.5]), TypeError, "integers"),
    (lambda: multiway.sort(np.zeros(3), out=np.frombuffer(bytes(24))), ValueError,
     "read-only"),
    (lambda: multiway.sort([3, 1], kind="stable"), TypeError, "kind"),
    (lambda: multiway.set_tuning("sim", way=3), TypeError, "unknown tuning"),
    (lambda: multiway.set_tuning("sim", ways=3), ValueError, "ways"),
    (lambda: multiway.set_tuning("sim", ways=2**32 + 8), ValueError, "ways is 4294967304"),
    (lambda: multiway.set_tuning("sim", _fields_=1), TypeError, "unknown tuning"),
])
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("module", [multiway, _handle, _insight, _lists, _order, _select,
                                    _sort])
def test_docstrings(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_pages(page):
    """Each block of Python on a page runs, after those before it."""
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.S | re.M)
    for block in blocks:
        if "cuda" not in block or importlib.util.find_spec("torch") and has_gpu():
            exec(compile(block, page, "exec"), names)
    assert blocks


def has_gpu():
    return __import__("torch").cuda.is_available()


def test_example(tmp_path):
    subprocess.run([sys.executable, ROOT / "examples/python/tour.py"], cwd=tmp_path,
                   check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_arrays_of_all_kinds():
    same(multiway.sort([3, 1, 2]), np.array([1, 2, 3]))
    big = np.array([3, 1, 258], ">i4")
    same(multiway.sort(big), np.array([1, 3, 258], "i4"))
    fixed = np.array([3, 1, 2])
    fixed.flags.writeable = False
    same(multiway.sort(fixed), np.array([1, 2, 3]))
    same(multiway.argsort(memoryview(b"cab")), np.array([1, 2, 0]))
    same(multiway.partition(np.array([3, 1, 2]), np.array(0)), np.array([1, 3, 2]))


def unaligned(x):
    """The same array at an odd address."""
    room = np.zeros(x.nbytes + 9, "u1")
    begin = 1 - room.ctypes.data % 8 + 8 * (room.ctypes.data % 8 > 1)
    result = room[begin:begin + x.nbytes].view(x.dtype).reshape(x.shape)
    result[...] = x
    return result


@pytest.mark.parametrize("dtype", ["i2", "f2", "i4", "f8", "M8[s]", "c16", "U2", "i4,f8"])
def test_unaligned_arrays(dtype):
    x = np.arange(60)[::-1].astype(dtype)
    for y in (unaligned(x), unaligned(x.reshape(6, 10))):
        same(multiway.argsort(y), np.argsort(y, kind="stable"))
        same(multiway.sort(y), np.sort(y, kind="stable"))
    out = unaligned(x)
    assert multiway.sort(x, out=out) is out
    same(out, np.sort(x, kind="stable"))
    same(multiway.sort_by(unaligned(x), unaligned(x))[1], np.sort(x, kind="stable"))
    same(multiway.merge([unaligned(out), out]), np.sort(np.concatenate([x, x])))


def test_segments_in_any_byte_order():
    for dtype in (">i4", ">u8", "i2", "i8"):
        cuts = unaligned(np.array([0, 2], dtype))
        same(multiway.segmented_sort(np.array([3, 1, 2]), cuts[:1], cuts[1:]),
             np.array([1, 3, 2]))


def test_out_that_overlaps():
    for dtype in ("i4", "f8"):
        x = array_of(dtype, 30, 20, 1)
        expected = np.sort(x[:20], kind="stable")
        same(multiway.sort(x[:20], out=x[5:25]), expected)
        square = array_of(dtype, (6, 6), 20, 1)
        expected = np.sort(square, kind="stable")
        same(multiway.sort(square, out=square.T).copy(), expected)


def test_arrays_without_elements():
    for shape in ((0,), (3, 0), (0, 3)):
        x = np.zeros(shape)
        same(multiway.partition(x, 0), x)
        same(multiway.sort(x), x)
        same(multiway.argsort(x, axis=0), np.zeros(shape, "i8"))


def test_arrays_of_others():
    """A library that we do not know, on the host, gets its own arrays back."""
    class Namespace:
        @staticmethod
        def asarray(x):
            return Other(x)

    class Other:
        def __init__(self, x):
            self.x = np.asarray(x)

        def __array__(self, dtype=None, copy=None):
            return self.x

        def __dlpack_device__(self):
            return 1, 0

        def __array_namespace__(self):
            return Namespace

    same(multiway.sort(Other([3, 1, 2])).x, np.array([1, 2, 3]))


@pytest.mark.skipif(not hasattr(np, "from_dlpack"), reason="NumPy before 1.23")
def test_arrays_that_know_dlpack_alone():
    class Other:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, stream=None):
            return self.x.__dlpack__()

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    x = np.array([[3.0, 1.0, 2.0]])
    same(multiway.sort(Other(x)), np.sort(x))
    same(multiway.argsort(Other(x.T), axis=0), np.argsort(x.T, axis=0))


def test_orders_of_equal_content_are_equal():
    one, two = (_order.compiled(np.dtype("i4,i4"), multiway.Order("f0"), False)
                for _ in range(2))
    assert one is two
    assert repr(multiway.TOTAL) == "multiway.Order(total=True)"


def test_out(tmp_path):
    x = np.array([0.0, -0.0, np.nan, -1.0])
    view = np.zeros((4, 2))[:, 0]
    assert multiway.sort(x, out=view) is view
    same(view.copy(), np.array([-1.0, 0.0, -0.0, np.nan]))
    multiway.sort(x, out=x)
    same(x, view.copy())
    mapped = np.memmap(tmp_path / "out", "i4", "w+", shape=3)
    assert multiway.sort(np.array([3, 1, 2], "i4"), out=mapped) is mapped
    assert mapped.tolist() == [1, 2, 3]
    z = np.array([[1 + 2j, complex(0, np.nan), 0.5]])
    assert multiway.sort(z, out=z) is z and z[0, 0] == 0.5
    numbers = np.array([3, 1, 2])
    assert multiway.sort(numbers, out=numbers) is numbers and numbers.tolist() == [1, 2, 3]


@pytest.mark.parametrize("shape, axis", [((7, 1), 0), ((1, 7, 1), 1), ((0, 5), 0),
                                         ((6, 4), 0), ((4, 6), 1)])
def test_out_along_any_axis(shape, axis):
    x = array_of("i4", shape, 9, 1)
    expected = np.sort(x, axis=axis)
    out = np.empty_like(x)
    assert multiway.sort(x, axis=axis, out=out) is out
    same(out, expected)
    multiway.sort(x, axis=axis, out=x)
    same(x, expected)


def test_bfloat16():
    dtype = pytest.importorskip("ml_dtypes").bfloat16
    x = array_of("f4", 3000, 200, 1).astype(dtype)
    same(multiway.argsort(x), np.argsort(x.astype("f4"), kind="stable"))
    same(multiway.sort(x), x[multiway.argsort(x)])


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "int4"])
def test_dtypes_of_others(name):
    """Their bytes are no order."""
    dtype = getattr(pytest.importorskip("ml_dtypes"), name)
    with pytest.raises(TypeError, match=f"cannot sort dtype {name}"):
        multiway.argsort(np.array([1, -1], dtype))


def test_own_comparison_may_sort():
    """A comparison in Python that itself sorts: it gets a handle of its own."""
    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int32),
                      ctypes.POINTER(ctypes.c_int32))
    def by_last_digit(a, b):
        pair = multiway.sort(np.array([a[0] % 10, b[0] % 10]))
        return int(pair[0] == a[0] % 10 and pair[0] != pair[1])

    order = multiway.Order(on_host=by_last_digit)
    x = np.array([19, 21, 35, 11, 9], "i4")
    assert multiway.sort(x, order=order, device="cpu:1").tolist() == [21, 11, 35, 19, 9]


def test_threads():
    x = array_of("f8", 20_000, 500, 1)
    expected = np.argsort(x, kind="stable")
    wrong = []

    def work():
        for _ in range(20):
            if not (multiway.argsort(x, device="cpu:2") == expected).all():
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_fork():
    x = array_of("i4", 100_000, 5000, 1)
    expected = np.sort(x)
    same(multiway.sort(x, device="cpu:2"), expected)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # the parent's handle would wait for threads that do not exist
        multiway.release()
        os._exit(0 if (multiway.sort(x, device="cpu:2") == expected).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("lists, kept", [(2, 1), (5000, 0)])
def test_shapes_of_many_lists_are_not_kept(lists, kept):
    """Each has as many numbers as there are lists."""
    handle = _handle.Handle("sim")
    x = np.arange(3)
    tables = (native.Table * lists)(*[_handle.table(x.ctypes.data, 3)] * lists)
    job = _handle.job_of(native.MERGE, _order.compiled(x.dtype, None, False), tables,
                         _handle.table(1 << 20, 3 * lists))
    assert handle.workspace_bytes(job) == handle.prepare(job) > 0
    assert len(handle.prepared) == kept


BESIDE = """
import os, signal, threading, warnings
import numpy as np, multiway
warnings.simplefilter("ignore")  # of forks beside threads
x = np.arange(1 << 17)[::-1]
ready, end = threading.Event(), threading.Event()

def own_handle():
    multiway.sort(x, device="cpu:2")
    ready.set()
    end.wait()

thread = threading.Thread(target=own_handle)
thread.start()
ready.wait()
child = os.fork()
if child == 0:
    os._exit(0 if (multiway.sort(x, device="cpu:2") == x[::-1]).all() else 1)
signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
signal.alarm(60)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
end.set()
thread.join()
assert status == 0, status
"""


def test_fork_beside_a_thread_that_has_a_handle():
    """The child has no thread that its parent's handle could wait for."""
    subprocess.run([sys.executable, "-c", BESIDE], check=True,
                   env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_count_is_a_table():
    x = np.arange(5000, dtype="i4")[::-1]
    counted = multiway.count(x, engine="heap", ways=8, base=1024)
    assert counted.rounds > 0 and counted.launches > 0
    assert sum(line["global_sectors"] for line in counted.lines) == (
        counted.totals["global_sectors"])
    assert str(counted).startswith("kernel")


def test_info():
    assert multiway.info("sim")["device"] == "sim"
    assert multiway.info("cpu:3")["processors"] == 3
