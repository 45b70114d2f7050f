"""Multiway: sort, merge and select on GPUs and CPUs.

Arrays of NumPy, CuPy, PyTorch, and of libraries with DLPack or the CUDA Array Interface.
Results are of the caller's library, on the caller's device and stream. Everything is
stable, and every device returns the same result. docs/python.md has the details.

>>> import multiway, numpy as np
>>> multiway.sort(np.array([3, 1, 2]))
array([1, 2, 3])
"""
from ._across import sort_across
from ._handle import release
from ._insight import Counted, count, info, set_tuning
from ._lists import is_sorted, merge, split
from ._native import BadArgument, MultiwayError, NoMemory, __version__
from ._order import TOTAL, Order
from ._select import nth, partition, top_k
from ._sort import argsort, lexsort, segmented_sort, sort, sort_by

__all__ = [
    "BadArgument", "Counted", "MultiwayError", "NoMemory", "Order", "TOTAL", "__version__",
    "argsort", "count", "info", "is_sorted", "lexsort", "merge", "nth", "partition",
    "release", "segmented_sort", "set_tuning", "sort", "sort_across", "sort_by", "split",
    "top_k",
]
