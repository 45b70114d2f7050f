"""Selecting by rank: top_k, nth, partition."""
import operator
from typing import Any, Optional, Tuple

import numpy as np

from ._arrays import enter, place
from ._order import OrderLike, compiled
from ._rows import Ranks, Rows, ranks_of, rows_of, run_rows
from ._sort import sort


def _select(arrays: Any, x: Any, ranks: Ranks, device: str) -> Tuple[Any, Any]:
    """Elements of some ranks of each row, the last axis of x, and their positions."""
    work = ranks.work
    values = arrays.empty(ranks.shape, x.dtype, x)
    positions = None if work.kind is None else arrays.empty(ranks.shape, "int64", x)
    if work.size and work.first < work.last:
        run_rows(arrays, device, work, x, values, positions)
    return values, positions


def top_k(x: Any, k: int, /, *, axis: int = -1, mode: str = "largest", sorted: bool = True,
          order: OrderLike = None, device: Optional[str] = None) -> Tuple[Any, Any]:
    """The k largest or smallest elements along an axis: (values, indices).

    Best first, and equal ones by position, so the result is unique. (``sorted=False``
    changes nothing.) NaNs are last in both modes: they come only after all numbers.

    >>> import multiway, numpy as np
    >>> multiway.top_k(np.array([3, 9, 1, 9]), 3)
    (array([9, 9, 3]), array([1, 3, 0]))
    """
    if mode not in ("largest", "smallest"):
        raise ValueError(f'mode is {mode!r} (expected "largest" or "smallest")')
    arrays, x, back = enter(x)
    if axis is None:
        x, axis = x.reshape(-1), -1
    ranks = ranks_of(compiled(arrays.dtype(x), order, mode == "largest"), x.shape,
                     operator.index(axis), 0, operator.index(k), True)
    device = place(arrays, x, device)
    if ranks.axis is None:
        values, indices = _select(arrays, x, ranks, device)
    else:
        found = _select(arrays, arrays.moveaxis(x, ranks.axis, -1), ranks, device)
        values, indices = (arrays.moveaxis(y, -1, ranks.axis) for y in found)
    return back(values), back(indices)


def _rank(k: Any, length: int) -> int:
    rank = operator.index(k)
    if not -length <= rank < length:
        raise ValueError(f"rank {rank} of {length} elements")
    return rank % length


def nth(x: Any, k: int, /, *, axis: Optional[int] = -1, descending: bool = False,
        order: OrderLike = None, device: Optional[str] = None) -> Any:
    """The element of rank k along an axis, from 0 on, as an array without that axis.

    >>> import multiway, numpy as np
    >>> int(multiway.nth(np.array([30, 10, 20]), 1))
    20
    """
    arrays, x, back = enter(x)
    compiled_order = compiled(arrays.dtype(x), order, descending)
    rows = rows_of(arrays, x, axis)
    rank = _rank(k, rows.length)
    ranks = ranks_of(compiled_order, rows.shape, -1, rank, rank + 1, False)
    values, _ = _select(arrays, rows.array, ranks, place(arrays, x, device))
    return back(values[..., 0])


def partition(x: Any, kth: Any, /, *, axis: Optional[int] = -1, order: OrderLike = None,
              device: Optional[str] = None) -> Any:
    """A copy with element kth where sorting would put it, as numpy.partition.

    No greater element is before it and no smaller one after it. ``kth`` may be several
    ranks. Host arrays: ranks up to kth come sorted, the rest in the order it had. Device
    arrays come sorted: their libraries compact the rest only by waiting for the GPU.

    >>> import multiway, numpy as np
    >>> multiway.partition(np.array([5, 3, 4, 1, 2]), 1)
    array([1, 2, 5, 3, 4])
    """
    arrays, entered, back = enter(x)
    rows = rows_of(arrays, entered, axis)
    if not rows.length:
        return sort(x, axis=axis, order=order, device=device)
    ranks = [_rank(k, rows.length) for k in (kth if np.ndim(kth) else (kth,))]
    if not ranks or not rows.size or not arrays.on_host(entered):
        return sort(x, axis=axis, order=order, device=device)
    last = max(ranks) + 1
    compiled_order = compiled(arrays.dtype(entered), order, False)
    values, positions = _select(
        arrays, rows.array, ranks_of(compiled_order, rows.shape, -1, 0, last, True),
        device or "cpu")
    result = _append_rest(arrays, rows, values, positions)
    if rows.axis != len(rows.shape) - 1:
        result = arrays.moveaxis(result, -1, rows.axis)
    return back(result)


def _append_rest(arrays: Any, rows: Rows, values: Any, positions: Any) -> Any:
    """Selected values of each row, then its other elements in the order they had."""
    result = arrays.empty(rows.shape, rows.array.dtype, rows.array)
    last = values.shape[-1]
    is_rest = arrays.empty(rows.shape, "bool", rows.array)
    is_rest[...] = True
    flat = is_rest.reshape(-1, rows.length)
    numbers = arrays.arange(flat.shape[0] - 1, 1, "int64", rows.array)[:, None]
    flat[numbers, positions.reshape(-1, last)] = False
    result[..., :last] = values
    rest = rows.array[is_rest]
    result[..., last:] = rest.reshape(*values.shape[:-1], rows.length - last)
    return result
