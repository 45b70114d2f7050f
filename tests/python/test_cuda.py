"""Arrays of PyTorch, CuPy, JAX and Numba, on the GPU where there is one, against NumPy.

"enqueue" stands in for a GPU: NumPy arrays that go the way of device arrays, with a
workspace of the caller's, on the device "cpu".
"""
import os
import signal
import weakref

import numpy as np
import pytest

import multiway
from cases import NUMBERS, array_of
from multiway import _arrays, _handle, _rows


class Fake(np.ndarray):
    """NumPy arrays that pretend to be on a device."""


class Enqueued(_arrays.NumpyArrays):
    def on_host(self, x):
        return False

    def device(self, x):
        return "cpu:2"

    def empty(self, shape, dtype, like):
        dtype = np.dtype(dtype)
        size = int(np.prod(shape)) * dtype.itemsize
        room = np.empty(size + 256, "u1")
        start = -room.ctypes.data % 256
        return room[start:start + size].view(dtype).reshape(shape).view(Fake)


class Library:
    """How to put a NumPy array where a library has its own, and to get it back."""

    dtypes = NUMBERS
    takes_out = True

    def __init__(self, name):
        if name.startswith("torch"):
            torch = pytest.importorskip("torch")
            if name == "torch-cuda" and not torch.cuda.is_available():
                pytest.skip("no GPU")
            if not hasattr(torch, "uint64"):
                self.dtypes = [d for d in NUMBERS if d not in ("u2", "u4", "u8")]
            self.put = lambda x: torch.from_numpy(x.copy()).to(name[6:])
            self.get = lambda x: x.cpu().numpy()
        elif name == "cupy":
            cupy = pytest.importorskip("cupy")
            self.put, self.get = cupy.asarray, cupy.asnumpy
        elif name == "jax":
            os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
            jax = pytest.importorskip("jax")
            jax.config.update("jax_enable_x64", True)
            self.put, self.get = jax.numpy.array, np.asarray
            self.takes_out = False  # its arrays cannot be written to
        elif name == "numba":
            cuda = pytest.importorskip("numba.cuda")
            if not cuda.is_available():
                pytest.skip("no GPU")
            self.put, self.get = cuda.to_device, lambda x: x.copy_to_host()
            self.takes_out = False
        else:
            self.put, self.get = lambda x: x.copy().view(Fake), np.asarray


@pytest.fixture(params=["enqueue", "torch-cpu", "torch-cuda", "cupy", "jax", "numba"])
def library(request, monkeypatch):
    monkeypatch.setitem(_arrays._entries, Fake, _arrays.Entry(Enqueued()))
    return Library(request.param)


def check(library, ours, expected):
    np.testing.assert_array_equal(library.get(ours), expected)


@pytest.mark.parametrize("shape", [(0,), (1,), (1000,), (70_000,), (40, 300), (3, 50, 7)])
def test_sorts(library, shape):
    for dtype in library.dtypes:
        x = array_of(dtype, shape, 300, 1)
        theirs = library.put(x)
        for axis in range(len(shape)):
            check_axis(library, x, theirs, axis)
        assert type(multiway.sort(theirs)) is type(theirs)


def check_axis(library, x, theirs, axis):
    sort, argsort = (np.sort(x, axis, kind="stable"), np.argsort(x, axis, kind="stable"))
    for _ in range(2):  # the second time the job is prepared
        check(library, multiway.sort(theirs, axis=axis), sort)
        check(library, multiway.argsort(theirs, axis=axis), argsort)
    check(library, multiway.argsort(theirs, axis=axis, dtype="i4"), argsort)
    k = x.shape[axis] // 3
    values, indices = multiway.top_k(theirs, k, axis=axis, mode="smallest")
    check(library, indices, argsort.take(range(k), axis))
    check(library, values, sort.take(range(k), axis))
    down = multiway.argsort(x, axis=axis, descending=True, device="cpu:1")
    check(library, multiway.argsort(theirs, axis=axis, descending=True), down)
    check(library, multiway.sort(theirs, axis=axis, descending=True),
          np.take_along_axis(x, down, axis))
    if x.shape[axis]:
        check(library, multiway.nth(theirs, k, axis=axis), sort.take(k, axis))


def test_other_functions(library):
    keys, values = array_of("f4", 5000, 90, 1), array_of("i8", (5000, 3), 90, 2)
    second = array_of("i4", 5000, 9, 3)
    by = np.argsort(keys, kind="stable")
    ours = multiway.sort_by(library.put(keys), library.put(values))
    check(library, ours[0], keys[by])
    check(library, ours[1], values[by])
    check(library, multiway.lexsort([library.put(second), library.put(keys)]),
          np.lexsort([second, keys]))
    lists = [np.sort(part) for part in np.split(second, 5)]
    theirs = [library.put(part) for part in lists]
    check(library, multiway.merge(theirs), np.sort(second))
    cuts = multiway.split(theirs, [0, 2500, 5000])
    assert library.get(cuts).sum(axis=1).tolist() == [0, 2500, 5000]
    assert multiway.is_sorted(theirs[0]) and not multiway.is_sorted(library.put(second))
    offsets = np.array([0, 100, 1000, 5000])
    segments = multiway.segmented_sort(library.put(second), library.put(offsets[:-1]),
                                       library.put(offsets[1:]))
    check(library, segments, np.concatenate(
        [np.sort(second[a:b]) for a, b in zip(offsets[:-1], offsets[1:])]))
    check(library, multiway.segmented_sort(library.put(second), [0], [5000]),
          np.sort(second))
    check(library, multiway.partition(library.put(second), 4999), np.sort(second))
    out = library.put(second)
    if library.takes_out:
        assert multiway.sort(out, out=out) is out
        check(library, out, np.sort(second))
    else:
        with pytest.raises(ValueError, match="out is"):
            multiway.sort(out, out=out)


def test_equal_counts_of_other_keys(library):
    """The second sort takes over the job of the first: only the address is new."""
    lists = [array_of("i4", 3000, 500, seed) for seed in range(3)]
    ours = [multiway.sort(library.put(x)) for x in lists]
    for result, x in zip(ours, lists):
        check(library, result, np.sort(x))


def check_rows(library, x, k):
    theirs = library.put(x)
    by = np.argsort(x, kind="stable")
    values, indices = multiway.top_k(theirs, k, mode="smallest")
    check(library, indices, by[..., :k])
    check(library, values, np.take_along_axis(x, by, -1)[..., :k])
    check(library, multiway.argsort(theirs), by)
    check(library, multiway.sort(theirs), np.sort(x, kind="stable"))


def test_shapes_in_turn(library):
    """A job and its offsets are kept for each shape: none takes over another's."""
    multiway.release()
    shapes = [(40, 30), (30, 40), (1, 1200), (1200,), (1200, 1), (4, 10, 30), (50, 30)]
    shapes += [(7, 5 + i) for i in range(_rows._KEPT)]
    for turn in range(2):
        for number, shape in enumerate(shapes):
            x = array_of("f4", shape, 90, 100 * turn + number)
            check_rows(library, x, 1 + (number + turn) % shape[-1])
            check_rows(library, x[:2], 1)
    for offsets in _handle._offsets.values():
        assert len(offsets) <= _rows._KEPT


class Streams(Enqueued):
    """The same, with streams: it counts the arrays of offsets that are made."""

    made = current = 0
    captured = False

    def stream(self, x):
        return self.current

    def is_capturing(self, x, stream):
        assert stream == self.current != 0  # the default stream is never captured
        return self.captured

    def arange(self, stop, step, dtype, like):
        self.made += 1
        self.newest = super().arange(stop, step, dtype, like)
        return self.newest


@pytest.fixture
def streams(monkeypatch):
    multiway.release()
    streams = Streams()
    monkeypatch.setitem(_arrays._entries, Fake, _arrays.Entry(streams))
    return streams


def test_each_stream_makes_offsets_once(streams):
    x = array_of("i4", (20, 30), 90, 1)
    for stream, made in ((0, 1), (0, 1), (5, 2), (0, 2), (5, 2), (6, 3)):
        streams.current = stream
        check_rows(Library("enqueue"), x, 3)
        assert streams.made == made
    streams.captured = True
    multiway.nth(x.view(Fake), 3)
    assert streams.made == 4  # those of a graph are its own, and ...
    streams.captured = False
    multiway.nth(x.view(Fake), 3)
    assert streams.made == 4  # ... do not replace what is kept
    many = array_of("u1", (_rows._KEPT_ROWS + 1, 2), 90, 1)
    for made in (5, 6):
        check(Library("enqueue"), multiway.nth(many.view(Fake), 1), many.max(1))
        assert streams.made == made


def test_a_forked_child_frees_no_offsets(streams):
    x = array_of("i4", (20, 30), 90, 1)
    check_rows(Library("enqueue"), x, 3)
    offsets = weakref.ref(streams.newest)
    del streams.newest
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        check_rows(Library("enqueue"), x, 3)
        multiway.release()
        os._exit(offsets() is None)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert offsets() is not None
    multiway.release()
    assert offsets() is None


def test_streams_and_graphs_of_torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    x = torch.rand(64, 300, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
        values = multiway.top_k(x, 8)[0]
        torch.cuda.current_stream().synchronize()
    assert torch.equal(values, torch.topk(x, 8).values)
    multiway.top_k(x, 8)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        values = multiway.top_k(x, 8)[0]
    for columns in range(1, 2 + _rows._KEPT):  # other offsets take the place of those kept
        multiway.sort(x[:, :columns])
    for _ in range(2):
        x.copy_(torch.rand(64, 300))
        graph.replay()
        assert torch.equal(values, torch.topk(x, 8).values)


def test_device_arrays_stay_where_they_are(library):
    x = library.put(np.arange(3))
    arrays, entered, _ = _arrays.enter(x)
    if not arrays.on_host(entered):
        with pytest.raises(ValueError, match="only host arrays"):
            multiway.sort(x, device="cpu:1")


def test_bfloat16_of_torch():
    torch = pytest.importorskip("torch")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.from_numpy(array_of("f4", 3000, 200, 1)).to(torch.bfloat16).to(device)
    by = np.argsort(x.cpu().float().numpy(), kind="stable")
    assert multiway.argsort(x).cpu().numpy().tolist() == by.tolist()
    ours = multiway.sort(x).cpu().float().numpy()
    np.testing.assert_array_equal(ours, x.cpu().float().numpy()[by])
