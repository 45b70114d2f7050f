"""Sorting: sort, argsort, sort_by, lexsort, segmented_sort."""
import math
from typing import Any, Optional, Tuple

import numpy as np

from . import _native as native
from ._arrays import address, axis_of, enter, enter_all, place
from ._handle import enqueue_keys, give, job_of, run, table, take
from ._native import library
from ._order import (POSITIONS, Compiled, Order, OrderLike, columns_order, compiled,
                     position_type)
from ._rows import Rows, rows_of, segments_of, sort_rows


def _is_nan(bits: Any, kind: Any) -> Any:
    mantissa = {native.F16: 10, native.BF16: 7, native.F32: 23, native.F64: 52}[kind]
    number = bits.dtype.type
    top = 1 << 8 * bits.dtype.itemsize - 1
    return (bits & number(top - 1)) > number(top - (1 << mantissa))  # infinity


def _is_zero(bits: Any, kind: Any) -> Any:
    number = bits.dtype.type
    return (bits & number((1 << 8 * bits.dtype.itemsize - 1) - 1)) == 0


def _keep_ties(before: Any, after: Any, kind: Any) -> None:
    """Put zeros, and NaNs, back into the sequence that they had before.

    Both are arrays of bits. Rows of `after` are sorted, equal floats by their bits.
    """
    top = after.dtype.type(1 << 8 * after.dtype.itemsize - 1)
    tests = [_is_zero] if (after == top).any() else []
    if _is_nan(after[..., -1], kind).any():
        tests.append(_is_nan)
    for test in tests:
        ties = test(after, kind)
        values = after[ties]
        if (values != values[0]).any():
            after[ties] = before[test(before, kind)]


def _keep_ties_1d(before: Any, after: Any) -> None:
    """The same for one ascending NumPy array, looking only where ties can be."""
    zero = after.dtype.type(0)
    first = after.searchsorted(zero)
    if first < after.size and after[first] == 0:
        last = after.searchsorted(zero, "right")
        signs = np.signbit(after[first:last:max(last - first - 1, 1)])
        if signs[0] != signs[-1]:
            after[first:last] = before[before == 0]
    if after[-1] != after[-1]:
        first = after.searchsorted(after.dtype.type(np.nan))
        if after[first:first + 1].tobytes() != after[-1:].tobytes():
            after[first:] = before[before != before]


def _rotate(array: Any) -> None:
    """Move what must be last from the front of a sorted 1-D NumPy array to its end."""
    if array[0] != array[0]:  # NaN or NaT
        count = np.count_nonzero(array != array)
        array[:] = np.concatenate([array[count:], array[:count]])


def _sort_numbers(x: Any, order: Compiled, device: str) -> Any:
    """Sort a 1-D NumPy array of numbers into a new one, by the library's shortest way."""
    result = x.copy()
    handle = take(device)
    try:
        status = library.mw_sort(handle.context, order.type, order.descending,
                                 address(result), result.size)
        if status:
            raise native.failure(status, handle.context)
    finally:
        give(handle)
    if order.is_rotated and result.size:
        _rotate(result)
    if order.ties is not None and result.size:
        if order.descending or order.type == native.BF16:
            bits = f"u{x.itemsize}"
            _keep_ties(x.view(bits), result.view(bits), order.type)
        else:
            _keep_ties_1d(x, result)
    return result


def _sort_on_device(arrays: Any, x: Any, order: Compiled) -> Any:
    """The same for a 1-D device array, with the least work before the job is enqueued."""
    result = arrays.copy(x)
    count = result.shape[0]
    if count:
        enqueue_keys(arrays, result, count, order)
    return result


def _sort_rows(arrays: Any, rows: Rows, order: Compiled, device: str, out: Any) -> Any:
    """The rows, sorted, in a new contiguous array, or in `out` if that is as good."""
    size = rows.size
    if size == rows.length and order.type is not None and not order.is_rotated:
        result = out  # bare keys are sorted fastest in place
        looks_back = order.ties is not None and arrays.on_host(rows.array)
        if out is None or looks_back or not arrays.can_sort_in(out):
            result = arrays.copy(rows.array)
        elif out is not rows.array:
            arrays.assign(out, rows.array)
        if size and arrays.on_host(result):
            job = job_of(native.SORT, order, table(arrays.pointer(result), size))
            run(arrays, result, device, job)
        elif size:
            enqueue_keys(arrays, result, size, order)
        return result
    result = arrays.empty(rows.shape, rows.array.dtype, rows.array)
    if size:
        sort_rows(arrays, device, order, rows, result)
    return result


def _complex_with_nans(x: Any, order: OrderLike, descending: bool) -> Any:
    """Keys and an order for complex numbers, or None where their parts suffice.

    NumPy puts x + nan j after all numbers, and nan + x j after these.
    """
    if not isinstance(x, np.ndarray) or x.dtype.kind != "c" or order is not None or (
            not np.isnan(x.imag).any()):
        return None
    keys = np.empty(x.shape, [("group", "u1"), ("value", x.dtype)])
    keys["group"] = 2 * np.isnan(x.real) + np.isnan(x.imag)
    keys["value"] = x
    return keys, Order("group", "-value" if descending else "value")


def sort(x: Any, /, *, axis: Optional[int] = -1, descending: bool = False,
         stable: bool = True, order: OrderLike = None, out: Any = None,
         device: Optional[str] = None) -> Any:
    """A sorted copy of an array.

    axis
        The axis to sort along; None sorts the flattened array.
    descending
        Greatest first. NaN and NaT are last in both directions.
    stable
        Every sort here is stable. Only floats of device arrays that compare equal but have
        different bits (-0 and +0, NaNs) come out sorted by their bits.
    order
        Field names of a structured dtype, "-name" for descending, an ``Order``, or
        ``TOTAL``: floats by their bits.
    out
        An array for the result; it may be x.
    device
        For host arrays: "cpu" (the default), "cpu:N", "cuda", "cuda:N" or "sim".

    >>> import multiway, numpy as np
    >>> multiway.sort(np.array([3.0, np.nan, 1.0, 2.0]))
    array([ 1.,  2.,  3., nan])
    >>> multiway.sort(np.array([[3, 1], [2, 4]]), axis=0, descending=True)
    array([[3, 4],
           [2, 1]])
    """
    if type(x) is np.ndarray and x.ndim == 1 and out is None and x.dtype.isnative:
        compiled_order = compiled(x.dtype, order, descending)
        if compiled_order.type is not None:
            axis_of(-1 if axis is None else axis, 1)
            return _sort_numbers(x, compiled_order, device or "cpu")
    arrays, x, back = enter(x)
    if x.ndim == 1 and axis == -1 and out is None and device is None and (
            not arrays.on_host(x)):
        compiled_order = compiled(arrays.dtype(x), order, descending)
        if compiled_order.type is not None and not compiled_order.is_rotated:
            return back(_sort_on_device(arrays, x, compiled_order))
    rows = rows_of(arrays, x, axis)
    if out is not None:
        _check_out(arrays, out, x, rows.array if axis is None else x)
    grouped = _complex_with_nans(x, order, descending)
    if grouped:
        result = sort(grouped[0], axis=axis, order=grouped[1], device=device)["value"]
        return _deliver(arrays, back, result.copy(), out)
    compiled_order = compiled(arrays.dtype(x), order, descending)
    is_last = rows.axis == len(rows.shape) - 1
    result = _sort_rows(arrays, rows, compiled_order, place(arrays, x, device),
                        out if is_last else None)
    if compiled_order.ties is not None and rows.size and arrays.on_host(x):
        before = arrays.bits(arrays.contiguous(rows.array))
        _keep_ties(before, arrays.bits(result), compiled_order.ties)
    if not is_last:
        result = arrays.moveaxis(result, -1, rows.axis)
    return _deliver(arrays, back, result, out)


def _check_out(arrays: Any, out: Any, x: Any, like: Any) -> None:
    if not isinstance(out, type(x)) or isinstance(out, np.ma.MaskedArray):
        raise ValueError(f"out is of type {type(out).__name__}, expected "
                         f"{type(x).__name__}")
    if out.dtype != x.dtype or out.shape != like.shape or (
            arrays.device(out) != arrays.device(x)):
        raise ValueError(f"out is {out.dtype} of shape {tuple(out.shape)} on "
                         f"{arrays.device(out)}, expected {x.dtype} of shape "
                         f"{tuple(like.shape)} on {arrays.device(x)}")


def _deliver(arrays: Any, back: Any, result: Any, out: Any) -> Any:
    """A result for the caller, in the array that was given for it, if one was."""
    if out is None:
        return back(result)
    if out is not result:
        arrays.assign(out, result)
    return out


def argsort(x: Any, /, *, axis: Optional[int] = -1, descending: bool = False,
            stable: bool = True, order: OrderLike = None, dtype: Any = None,
            device: Optional[str] = None) -> Any:
    """Where each element of the sorted array is in x. Stable: equal elements by position.

    ``dtype`` is int64 (the default), int32, uint32 or uint64; others are as of ``sort``.

    >>> import multiway, numpy as np
    >>> multiway.argsort(np.array([30, 10, 20, 10]), descending=True)
    array([0, 2, 1, 3])
    """
    arrays, x, back = enter(x)
    grouped = _complex_with_nans(x, order, descending)
    if grouped:
        return argsort(grouped[0], axis=axis, order=grouped[1], dtype=dtype, device=device)
    compiled_order = compiled(arrays.dtype(x), order, descending)
    kind, wanted = position_type(dtype)
    rows = rows_of(arrays, x, axis)
    positions = arrays.empty(rows.shape, wanted, x)
    if rows.size:
        sort_rows(arrays, place(arrays, x, device), compiled_order, rows, None, positions,
                  kind)
    if rows.axis != len(rows.shape) - 1:
        positions = arrays.moveaxis(positions, -1, rows.axis)
    return back(positions)


def _column(arrays: Any, x: Any, count: int, what: str) -> Tuple[Any, int]:
    """A contiguous array of `count` values, and the bytes of one."""
    dtype = arrays.dtype(x)
    if x.ndim == 0 or x.shape[0] != count:
        raise ValueError(f"{what} has shape {tuple(x.shape)}, expected {count} first")
    if dtype.hasobject:  # Python counts references to objects
        raise TypeError(f"{what} has dtype {dtype}; objects cannot be moved (expected "
                        "positions of them: values[multiway.argsort(keys)])")
    return arrays.contiguous(x), dtype.itemsize * math.prod(x.shape[1:])


def sort_by(keys: Any, /, *values: Any, descending: bool = False, order: OrderLike = None,
            device: Optional[str] = None) -> Tuple[Any, ...]:
    """Sort keys, and values along with them: (sorted keys, values, ...).

    Keys are 1-D. Values have the same length; of those with more dimensions rows move, of
    at most 4096 bytes each. All arrays are of the same library. Stable: values of equal
    keys keep their order.

    >>> import multiway, numpy as np
    >>> multiway.sort_by(np.array([3, 1, 2]), np.array(["c", "a", "b"], dtype="S1"))
    (array([1, 2, 3]), array([b'a', b'b', b'c'], dtype='|S1'))
    """
    arrays, inputs, back = enter_all((keys, *values))
    keys = inputs[0]
    if keys.ndim != 1:
        raise ValueError(f"keys of shape {tuple(keys.shape)}, expected one dimension")
    if not values:
        return (back(sort(keys, descending=descending, order=order, device=device)),)
    compiled_order = compiled(arrays.dtype(keys), order, descending)
    count = keys.shape[0]
    kept = [_column(arrays, i, count, f"argument {n}") for n, i in enumerate(inputs)]
    results = [arrays.empty(tuple(i.shape), i.dtype, keys) for i in inputs]
    if count:
        sources = [(arrays.pointer(array), bytes_) for array, bytes_ in kept]
        targets = [(arrays.pointer(r), bytes_) for r, (_, bytes_) in zip(results, kept)]
        run(arrays, keys, place(arrays, keys, device), job_of(
            native.SORT, compiled_order, table(sources[0][0], count, sources[1:]),
            table(targets[0][0], count, targets[1:])))
    return tuple(back(result) for result in results)


def lexsort(keys: Any, axis: int = -1, *, device: Optional[str] = None) -> Any:
    """Positions that sort by several keys, the last of them first, as numpy.lexsort.

    ``keys`` is a sequence of arrays of one shape, at most 16 of them.

    >>> import multiway, numpy as np
    >>> first, second = np.array([1, 1, 0, 0]), np.array([4, 3, 2, 1])
    >>> multiway.lexsort((second, first))
    array([3, 2, 1, 0])
    """
    if not len(keys):
        raise TypeError("lexsort needs one key at least")
    arrays, inputs, back = enter_all([keys[i] for i in range(len(keys) - 1, -1, -1)])
    if any(tuple(i.shape) != tuple(inputs[0].shape) for i in inputs):
        shapes = [tuple(i.shape) for i in inputs]
        raise ValueError(f"keys of shapes {shapes}, expected one shape")
    rows = [rows_of(arrays, i, axis) for i in inputs]
    order = columns_order(tuple(arrays.dtype(i) for i in inputs))
    positions = arrays.empty(rows[0].shape, "int64", inputs[0])
    if rows[0].size:
        kept = [arrays.contiguous(r.array) for r in rows]
        columns = [(arrays.pointer(k), arrays.dtype(k).itemsize) for k in kept]
        segments, offsets = segments_of(arrays, rows[0])
        run(arrays, inputs[0], place(arrays, inputs[0], device), job_of(
            native.SORT, order, table(columns[0][0], rows[0].size, columns[1:]),
            table(None, 0), positions=arrays.pointer(positions), position_type=native.I64,
            **segments), ("lexsort", order, rows[0].size, rows[0].length))
        del offsets
    if rows[0].axis != inputs[0].ndim - 1:
        positions = arrays.moveaxis(positions, -1, rows[0].axis)
    return back(positions)


def _segment_numbers(arrays: Any, numbers: Any, x: Any) -> Any:
    """Begins or ends as the library takes them; converted only if it must be."""
    if isinstance(numbers, np.ndarray):
        numbers = enter(numbers)[1]
    if type(numbers) is type(x) and arrays.device(numbers) == arrays.device(x) and (
            arrays.dtype(numbers).str[1:] in POSITIONS):
        return arrays.contiguous(numbers).reshape(-1)
    return arrays.numbers(numbers, x).reshape(-1)


def segmented_sort(x: Any, begins: Any, ends: Any, /, *, descending: bool = False,
                   order: OrderLike = None, device: Optional[str] = None) -> Any:
    """A copy of x in which each of x[begins[i]:ends[i]] is sorted; other elements stay.

    Segments come in any order and must not overlap. One that ends before it begins, or is
    not in x, is empty. An array of offsets is ``segmented_sort(x, offsets[:-1],
    offsets[1:])``.

    >>> import multiway, numpy as np
    >>> multiway.segmented_sort(np.array([9, 3, 8, 2, 7, 1]), [0, 3], [3, 5])
    array([3, 8, 9, 2, 7, 1])
    """
    arrays, x, back = enter(x)
    if x.ndim != 1:
        raise ValueError(f"x of shape {tuple(x.shape)}, expected one dimension")
    compiled_order = compiled(arrays.dtype(x), order, descending)
    kept = [_segment_numbers(arrays, numbers, x) for numbers in (begins, ends)]
    if kept[0].dtype != kept[1].dtype or kept[0].shape != kept[1].shape:
        raise ValueError("begins and ends differ in length or dtype")
    result = arrays.copy(x)
    if x.shape[0] and kept[0].shape[0]:
        source = arrays.contiguous(x)
        run(arrays, x, place(arrays, x, device), job_of(
            native.SORT, compiled_order, table(arrays.pointer(source), x.shape[0]),
            table(arrays.pointer(result), x.shape[0]),
            segment_begins=arrays.pointer(kept[0]), segment_ends=arrays.pointer(kept[1]),
            segment_type=POSITIONS[arrays.dtype(kept[0]).str[1:]],
            segment_count=kept[0].shape[0]))
    return back(result)
