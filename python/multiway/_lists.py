"""Sorted arrays: merge, split, is_sorted."""
from typing import Any, List, Optional, Sequence, Tuple

from . import _native as native
from ._arrays import enter, enter_all, place
from ._handle import job_of, run, table
from ._order import Compiled, OrderLike, compiled


def _lists(lists: Sequence[Any], order: OrderLike,
           descending: bool) -> Tuple[Any, List[Any], Any, Compiled, Any]:
    """(library, contiguous arrays, back, order, array of tables)."""
    if not len(lists):
        raise ValueError("no lists: one array at least is needed, for its dtype")
    arrays, inputs, back = enter_all(lists)
    first = inputs[0]
    kept = []
    for number, x in enumerate(inputs):
        if x.ndim != 1 or x.dtype != first.dtype:
            raise ValueError(f"list {number} is {x.dtype} of shape {tuple(x.shape)}, "
                             f"expected {first.dtype} of one dimension")
        kept.append(arrays.contiguous(x))
    tables = (native.Table * len(kept))(*[table(arrays.pointer(x), x.shape[0])
                                          for x in kept])
    return arrays, kept, back, compiled(arrays.dtype(first), order, descending), tables


def merge(lists: Sequence[Any], /, *, descending: bool = False, order: OrderLike = None,
          device: Optional[str] = None) -> Any:
    """One sorted array from up to 100,000 sorted ones. Equal elements come by list.

    >>> import multiway, numpy as np
    >>> multiway.merge([np.array([1, 4, 7]), np.array([2, 4]), np.array([0, 9])])
    array([0, 1, 2, 4, 4, 7, 9])
    """
    arrays, kept, back, compiled_order, tables = _lists(lists, order, descending)
    count = sum(x.shape[0] for x in kept)
    result = arrays.empty((count,), kept[0].dtype, kept[0])
    if count:
        run(arrays, kept[0], place(arrays, kept[0], device), job_of(
            native.MERGE, compiled_order, tables, table(arrays.pointer(result), count)))
    return back(result)


def split(lists: Sequence[Any], ranks: Any, /, *, descending: bool = False,
          order: OrderLike = None, device: Optional[str] = None) -> Any:
    """Where to cut sorted lists so that ranks[r] elements lie before the cuts.

    ``cuts[r, i]`` of list i are among the first ranks[r] of all lists merged; ties go by
    list. The result is int64.

    >>> import multiway, numpy as np
    >>> multiway.split([np.array([1, 4, 7]), np.array([2, 4])], [2, 4])
    array([[1, 1],
           [2, 2]])
    """
    arrays, kept, back, compiled_order, tables = _lists(lists, order, descending)
    numbers = arrays.numbers(ranks, kept[0]).reshape(-1)
    if arrays.on_host(numbers) and bool((numbers < 0).any()):
        raise ValueError("a rank is negative")
    count = numbers.shape[0]
    cuts = arrays.empty((count, len(kept)), "int64", kept[0])
    if count:
        run(arrays, kept[0], place(arrays, kept[0], device), job_of(
            native.SPLIT, compiled_order, tables, ranks=arrays.pointer(numbers),
            rank_count=count, cuts=arrays.pointer(cuts)))
    return back(cuts)


def is_sorted(x: Any, /, *, descending: bool = False, order: OrderLike = None,
              device: Optional[str] = None) -> bool:
    """Is a 1-D array sorted? Waits for the answer, of device arrays too.

    >>> import multiway, numpy as np
    >>> multiway.is_sorted(np.array([1, 2, 2, 5]))
    True
    """
    arrays, x, _ = enter(x)
    if x.ndim != 1:
        raise ValueError(f"x of shape {tuple(x.shape)}, expected one dimension")
    compiled_order = compiled(arrays.dtype(x), order, descending)
    if x.shape[0] < 2:
        return True
    source = arrays.contiguous(x)
    first = arrays.empty((1,), "int64", x)
    run(arrays, x, place(arrays, x, device), job_of(
        native.CHECK, compiled_order, table(arrays.pointer(source), x.shape[0]),
        cuts=arrays.pointer(first)))
    return int(first[0]) == int(x.shape[0])
