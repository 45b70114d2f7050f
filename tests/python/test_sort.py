"""sort, argsort, lexsort, sort_by, top_k, nth and partition against NumPy."""
import numpy as np
import pytest
from hypothesis import given, strategies as st

import multiway
from cases import DTYPES, NUMBERS, REAL, array_of, same
from strategies import arrays


def ranks_of(x):
    """The same order as integers, dense; what NumPy thinks equal has equal ranks."""
    flat = x.reshape(-1)
    by = np.argsort(flat, kind="stable")
    group = np.zeros(flat.size, int)
    for i in range(1, flat.size):
        a, b = flat[by[i - 1]:by[i - 1] + 1], flat[by[i]:by[i] + 1]
        less = np.argsort(np.concatenate([b, a]), kind="stable")[0] == 1
        group[i] = group[i - 1] + less
    ranks = np.empty(flat.size, int)
    ranks[by] = group
    return ranks.reshape(x.shape)


def is_last(x):
    """What comes last in both directions."""
    return np.isnan(x) if x.dtype.kind in "fc" else (
        np.isnat(x) if x.dtype.kind in "mM" else np.zeros(x.shape, bool))


def descending(x, axis=-1):
    """Stable positions in descending order, NaNs and NaTs last."""
    keys = -ranks_of(x)
    if x.dtype.kind == "c":  # only the parts turn round, not where NaNs are
        keys = (-ranks_of(x.imag), -ranks_of(x.real),
                2 * np.isnan(x.real) + np.isnan(x.imag))
        last = [(ranks_of(p) * 0 + np.isnan(p)) for p in (x.imag, x.real)]
        return np.lexsort((keys[0], last[0], keys[1], last[1], keys[2]), axis=axis)
    return np.lexsort((keys, is_last(x)), axis=axis)


@given(arrays(), st.data())
def test_sort_and_argsort(device, x, data):
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    same(multiway.argsort(x, axis=axis, device=device),
         np.argsort(x, axis=axis, kind="stable"))
    same(multiway.sort(x, axis=axis, device=device), np.sort(x, axis=axis, kind="stable"))


@given(arrays(most=12), st.data())
def test_descending(device, x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    expected = descending(x, axis)
    same(multiway.argsort(x, axis=axis, descending=True, device=device), expected)
    same(multiway.sort(x, axis=axis, descending=True, device=device),
         np.take_along_axis(x, expected, axis))


@given(arrays(["f2", "f4", "f8"], dimensions=1))
def test_total_order(device, x):
    bits = x.view(f"i{x.itemsize}").astype(object)
    top = 1 << 8 * x.itemsize
    nan = np.isnan(x)
    keys = [(bool(n), b % top if n else (b if b >= 0 else -(b % (top // 2)) - 1))
            for n, b in zip(nan, bits)]
    expected = np.array(sorted(range(x.size), key=keys.__getitem__), int)
    same(multiway.argsort(x, order=multiway.TOTAL, device=device), expected)
    same(multiway.sort(x, order=multiway.TOTAL, device=device), x[expected])


@given(st.lists(st.sampled_from(DTYPES), min_size=1, max_size=4), arrays(["u1"]),
       st.integers(0, 99), st.data())
def test_lexsort(device, dtypes, like, seed, data):
    axis = data.draw(st.integers(-like.ndim, like.ndim - 1))
    keys = [array_of(d, like.shape, 3, seed + i) for i, d in enumerate(dtypes)]
    for i, key in enumerate(keys):  # complex keys have NumPy's order without NaNs only
        keys[i] = np.nan_to_num(key) if key.dtype.kind == "c" else key
    same(multiway.lexsort(keys, axis, device=device), np.lexsort(keys, axis))


@given(arrays(REAL, dimensions=1), st.sampled_from(["u1", "i4", "f8", "S3", "S40"]),
       st.booleans())
def test_sort_by(device, keys, dtype, down):
    values = array_of(dtype, (*keys.shape, 3), 50, 1)
    by = multiway.argsort(keys, descending=down, device=device)
    sorted_keys, rows, numbers = multiway.sort_by(
        keys, values, np.arange(keys.size), descending=down, device=device)
    same(sorted_keys, keys[by])
    same(rows, values[by])
    same(numbers, by)


@given(arrays(REAL), st.data(), st.sampled_from(["largest", "smallest"]))
def test_top_k(device, x, data, mode):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    k = data.draw(st.integers(0, x.shape[axis]))
    values, indices = multiway.top_k(x, k, axis=axis, mode=mode, device=device)
    by = multiway.argsort(x, axis=axis, descending=mode == "largest", device=device)
    same(indices, by.take(range(k), axis))
    same(values, np.take_along_axis(x, indices, axis))


@given(arrays(NUMBERS), st.data())
def test_nth_and_partition(device, x, data):
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    length = x.size if axis is None else x.shape[axis]
    if not length:
        return
    kth = data.draw(st.integers(-length, length - 1))
    expected = np.sort(x, axis=axis)
    nth = np.take(expected, kth, axis if axis is not None else 0)
    np.testing.assert_array_equal(multiway.nth(x, kth, axis=axis, device=device), nth)
    ours = multiway.partition(x, kth, axis=axis, device=device)
    head = np.arange(kth % length + 1)
    axis = 0 if axis is None else axis
    np.testing.assert_array_equal(ours.take(head, axis), expected.take(head, axis))
    np.testing.assert_array_equal(np.sort(ours, axis), expected)


RECORD = np.dtype([("a", "i2"), ("b", "f4"), ("c", "S5"),
                   ("d", [("x", "u1"), ("y", "f8")])])


@given(st.integers(0, 600), st.integers(0, 1 << 30),
       st.sampled_from([None, "b", "c", ["c", "a"], ["d"], ["b", "d", "a"]]))
def test_structured(device, count, seed, order):
    x = np.empty(count, RECORD)
    for i, path in enumerate(("a", "b", "c")):
        x[path] = array_of(RECORD[path], count, 4, seed + i)
    x["d"]["x"] = array_of("u1", count, 2, seed)
    x["d"]["y"] = array_of("f8", count, 4, seed)
    same(multiway.argsort(x, order=order, device=device),
         np.argsort(x, order=order, kind="stable"))
    same(multiway.sort(x, order=order, device=device),
         np.sort(x, order=order, kind="stable"))
    by = np.lexsort((x["b"], -ranks_of(x["c"])))
    same(multiway.argsort(x, order=multiway.Order("-c", "b"), device=device), by)


@pytest.mark.parametrize("count", [30, 200_000])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", [("a", "f4")], [("a", [("b", "f8")])]])
def test_equal_floats_keep_their_order(device, dtype, count):
    """Where floats are all that an element has, also as the one field of a structure."""
    dtype = np.dtype(dtype)
    x = array_of(f"f{dtype.itemsize}", count if device != "sim" else 3000, 50, 3)
    x = x.view(dtype)
    for down in (False, True):
        expected = x[multiway.argsort(x, descending=down, device=device)]
        same(multiway.sort(x, descending=down, device=device), expected)
        same(multiway.sort_by(x, descending=down, device=device)[0], expected)
    expected = x[multiway.argsort(x, order=multiway.TOTAL, device=device)]
    same(multiway.sort(x, order=multiway.TOTAL, device=device), expected)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_many(dtype):
    x = array_of(dtype, 300_000, 70_000, 3)
    for y in (x, x.reshape(300, 1000)):
        same(multiway.sort(y), np.sort(y, kind="stable"))
        same(multiway.argsort(y, dtype="i4"), np.argsort(y, kind="stable").astype("i4"))


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "f2"])
def test_positions_that_pass_by_the_caches(dtype):
    x = array_of(dtype, (1 << 20) + 5, 70_000, 1)
    for positions in ("i4", "i8"):
        same(multiway.argsort(x, dtype=positions, device="cpu:2"),
             np.argsort(x, kind="stable").astype(positions))


def test_positions_of_more_than_24_bits():
    x = array_of("u2", (1 << 24) + 3, 500, 1)
    same(multiway.argsort(x, device="cpu:2"), np.argsort(x, kind="stable"))
