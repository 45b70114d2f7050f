"""Rows of an array, and the jobs that sort each row or select from it."""
import math
from ctypes import byref
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


def rows_of(arrays: Any, x: Any, axis: Optional[int]) -> Rows:
    """Rows along an axis; None: one row of all."""
    if axis is None:
        x = x.reshape(-1)
        axis = -1
    shape = tuple(x.shape)
    axis = axis_of(axis, len(shape))
    if axis != len(shape) - 1:
        x = arrays.moveaxis(x, axis, -1)
        shape = tuple(x.shape)
    return Rows(x, shape, math.prod(shape), shape[-1], axis)


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


def _kept_offsets(arrays: Any, handle: Handle, rows: Rows,
                  stream: Optional[int]) -> Tuple[int, int, Any]:
    """The same, made once for all jobs on a stream.

    Another stream might read offsets before they are written. A graph might be replayed
    when we keep them no more, so one that is captured makes its own.
    """
    name = (rows.size, rows.length, stream)
    found = handle.offsets.get(name)
    is_captured = bool(stream) and arrays.is_capturing(rows.array, stream)
    if found is None or is_captured:
        found = _offsets(arrays, rows.size, rows.length, rows.array)
        if not is_captured and rows.size // rows.length <= _KEPT_ROWS:
            if len(handle.offsets) >= _KEPT:
                handle.offsets.clear()
            handle.offsets[name] = found
    return found


class RowsJob:
    """A job that a handle keeps for all rows of one shape: each call sets the addresses."""

    __slots__ = ("job", "source", "result", "bytes")

    def __init__(self, operation: int, order: Any, size: int, length: int, first: int,
                 last: int, kind: Optional[int], has_values: bool) -> None:
        count = size if operation == native.SORT else size // length * (last - first)
        self.source = table(None, size)
        self.result = table(None, count if has_values else 0)
        self.job = job_of(operation, order, self.source, self.result, first=first,
                          last=last)
        if kind is not None:
            self.job.position_type = kind
        if size != length:
            self.job.segment_type = _offset_type(size)
            self.job.segment_count = size // length
        self.bytes: Optional[int] = None  # of a workspace; host arrays need none


def run_rows(arrays: Any, device: str, operation: int, order: Any, rows: Rows,
             values: Any, positions: Any = None, kind: Optional[int] = None,
             first: int = 0, last: int = 0) -> None:
    """Sort each row, or select ranks [first, last), into new arrays.

    `values` or `positions`, which are of type `kind`, may be None.
    """
    source = arrays.contiguous(rows.array)
    shape = (operation, order, rows.size, rows.length, first, last, kind,
             values is not None)
    handle = take(device)
    try:
        kept = handle.rows.get(shape) or handle.keep_rows(shape, RowsJob(*shape))
        job = kept.job
        kept.source.elements = arrays.pointer(source)
        if values is not None:
            kept.result.elements = arrays.pointer(values)
        if positions is not None:
            job.positions = arrays.pointer(positions)
        on_host = arrays.on_host(source)
        stream = None if on_host else arrays.stream(source)
        if rows.size != rows.length:
            job.segment_begins, job.segment_ends, offsets = _kept_offsets(
                arrays, handle, rows, stream)
        if on_host:
            handle.check(library.mw_run(handle.context, byref(job)))
            return
        if kept.bytes is None:
            kept.bytes = handle.prepare(job)
        enqueue(arrays, source, handle, job, kept.bytes, stream)
    finally:
        give(handle)
