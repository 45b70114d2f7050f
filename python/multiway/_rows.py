"""Rows of an array, and the jobs that sort each row or select from it."""
import math
import operator
from ctypes import byref
from functools import lru_cache
from typing import Any, Dict, NamedTuple, Optional, Tuple

from . import _native as native
from ._arrays import axis_of
from ._handle import Handle, enqueue, give, job_of, table, take
from ._native import library

_KEPT = 16            # arrays of offsets that a handle keeps, each ...
_KEPT_ROWS = 1 << 16  # ... of at most so many rows: with more, making it takes little time


class Rows(NamedTuple):
    """An array with the axis to sort moved to the end: rows of `length` elements."""

    array: Any
    shape: Tuple[int, ...]  # of the array
    size: int               # elements of all rows
    length: int
    axis: int               # where it was


@lru_cache(maxsize=512)
def _form_of(shape: Tuple[int, ...], axis: int) -> Tuple[Tuple[int, ...], int, int, int]:
    """Rows of arrays of a shape, but for the array."""
    axis = axis_of(axis, len(shape))
    moved = (*shape[:axis], *shape[axis + 1:], shape[axis])
    return moved, math.prod(shape), shape[axis], axis


def rows_of(arrays: Any, x: Any, axis: Optional[int]) -> Rows:
    """Rows along an axis; None: one row of all."""
    if axis is None:
        x = x.reshape(-1)
        axis = -1
    form = _form_of(x.shape, operator.index(axis))
    if form[3] != x.ndim - 1:
        x = arrays.moveaxis(x, form[3], -1)
    return Rows(x, *form)


class Work(NamedTuple):
    """What is done with rows: all that the job is made of, but addresses."""

    operation: int
    order: Any
    size: int
    length: int
    first: int           # a selection: ranks [first, last) of each row
    last: int
    kind: Optional[int]  # the type of positions, None for none
    has_values: bool     # are elements wanted?


class Ranks(NamedTuple):
    """Ranks of each row of arrays of one shape and dtype."""

    work: Work
    shape: Tuple[int, ...]  # of the result, with the axis moved to the end
    axis: Optional[int]     # where it was; None: at the end


@lru_cache(maxsize=512)
def ranks_of(order: Any, shape: Tuple[int, ...], axis: int, first: int, last: int,
             with_positions: bool) -> Ranks:
    """The ranks [first, last) of rows along an axis."""
    moved, size, length, axis = _form_of(shape, axis)
    if not 0 <= last <= length:
        raise ValueError(f"k is {last}, expected 0 to {length}")
    return Ranks(Work(native.SELECT, order, size, length, first, last,
                      native.I64 if with_positions else None, True),
                 (*moved[:-1], last - first), None if axis == len(shape) - 1 else axis)


def _offset_type(size: int) -> int:
    return native.I32 if size < 1 << 31 else native.I64


def _offsets(arrays: Any, size: int, length: int, like: Any) -> Tuple[int, int, Any]:
    """(begins, ends, the array): where each row begins, and where the last ends."""
    name, bytes_ = {native.I32: ("int32", 4), native.I64: ("int64", 8)}[_offset_type(size)]
    made = arrays.arange(size, length, name, like)
    begins = arrays.pointer(made)
    return begins, begins + bytes_, made


def segments_of(arrays: Any, rows: Rows) -> Tuple[Dict[str, int], Any]:
    """Fields of a job that make each row a segment, and the array they point to."""
    if rows.size == rows.length:
        return {}, None
    begins, ends, made = _offsets(arrays, rows.size, rows.length, rows.array)
    return {"segment_begins": begins, "segment_ends": ends,
            "segment_type": _offset_type(rows.size),
            "segment_count": rows.size // rows.length}, made


def _kept_offsets(arrays: Any, handle: Handle, size: int, length: int, like: Any,
                  stream: Optional[int]) -> Tuple[int, int, Any]:
    """The same, made once for all jobs on a stream.

    Another stream might read offsets before they are written. A graph might be replayed
    when we keep them no more, so one that is captured makes its own.
    """
    name = (size, length, stream)
    found = handle.offsets.get(name)
    is_captured = bool(stream) and arrays.is_capturing(like, stream)
    if found is None or is_captured:
        found = _offsets(arrays, size, length, like)
        if not is_captured and size // length <= _KEPT_ROWS:
            if len(handle.offsets) >= _KEPT:
                handle.offsets.clear()
            handle.offsets[name] = found
    return found


class RowsJob:
    """A job that a handle keeps for all rows of one shape: each call sets the addresses."""

    __slots__ = ("job", "source", "result", "bytes")

    def __init__(self, work: Work) -> None:
        size, length = work.size, work.length
        count = (size if work.operation == native.SORT
                 else size // length * (work.last - work.first))
        self.source = table(None, size)
        self.result = table(None, count if work.has_values else 0)
        self.job = job_of(work.operation, work.order, self.source, self.result,
                          first=work.first, last=work.last)
        if work.kind is not None:
            self.job.position_type = work.kind
        if size != length:
            self.job.segment_type = _offset_type(size)
            self.job.segment_count = size // length
        self.bytes: Optional[int] = None  # of a workspace; host arrays need none


def sort_rows(arrays: Any, device: str, order: Any, rows: Rows, values: Any,
              positions: Any = None, kind: Optional[int] = None) -> None:
    """Sort each row into a new array, or its positions, which are of type `kind`."""
    run_rows(arrays, device, Work(native.SORT, order, rows.size, rows.length, 0, 0, kind,
                                  values is not None), rows.array, values, positions)


def run_rows(arrays: Any, device: str, work: Work, x: Any, values: Any,
             positions: Any) -> None:
    """Do work with the rows of x. Its results are new arrays; None: not wanted."""
    source = arrays.contiguous(x)
    handle = take(device)
    try:
        kept = handle.rows.get(work) or handle.keep_rows(work, RowsJob(work))
        job = kept.job
        kept.source.elements = arrays.pointer(source)
        if values is not None:
            kept.result.elements = arrays.pointer(values)
        if positions is not None:
            job.positions = arrays.pointer(positions)
        on_host = arrays.on_host(source)
        stream = None if on_host else arrays.stream(source)
        if work.size != work.length:
            job.segment_begins, job.segment_ends, offsets = _kept_offsets(
                arrays, handle, work.size, work.length, source, stream)
        if on_host:
            handle.check(library.mw_run(handle.context, byref(job)))
            return
        if kept.bytes is None:
            kept.bytes = handle.prepare(job)
        enqueue(arrays, source, handle, job, kept.bytes, stream)
    finally:
        give(handle)
