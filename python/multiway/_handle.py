"""Handles of the library, one for each thread and device, and how jobs run on them."""
import os
import threading
from ctypes import addressof, byref, c_uint64, c_void_p, sizeof
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _native as native
from ._native import library

_JOB_BYTES, _TABLE_BYTES, _COLUMN_BYTES = map(sizeof, (native.Job, native.Table,
                                                       native.Column))
_KEPT = 1024       # shapes of jobs of each kind that a handle remembers, ...
_KEPT_LISTS = 256  # ... of at most so many lists, since each shape has all their lengths
_process = [0]  # counts forks: handles made before one belong to the parent
# Device memory of each handle, by the id of the dictionary. It is not in the handle alone,
# because a forked child drops its parent's handles, but must not free what is on a GPU.
_offsets: Dict[int, Dict[Any, Any]] = {}


class Handle:
    """An mw_context that closes itself, and what it knows about prepared jobs."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.process = _process[0]
        self.pid = os.getpid()
        self.prepared: Dict[Any, int] = {}
        self.keys: Dict[Any, Tuple[native.Table, native.Job, int]] = {}
        self.rows: Dict[Any, Any] = {}  # RowsJob by shape
        self.offsets: Dict[Any, Any] = {}  # of rows
        _offsets[id(self.offsets)] = self.offsets
        self.received: Any = None  # what sort_across keeps for its next call
        self.context = c_void_p()
        if not isinstance(device, str) or "\0" in device:
            raise TypeError(f"device is {device!r}, expected a name such as \"cpu:2\"")
        status = library.mw_open(byref(self.context), device.encode(), None)
        if status:
            raise native.failure(status, self.context)

    def __del__(self, close: Any = library.mw_close, now: List[int] = _process,
                offsets: Dict[int, Any] = _offsets, getpid: Any = os.getpid) -> None:
        # The threads of a parent's handle do not exist in a child, so it is left alone.
        # A child drops those of its parent's other threads before it counts the fork.
        if self.process != now[0] or self.pid != getpid():
            return
        offsets.pop(id(self.offsets), None)
        if self.context:
            close(self.context)

    def check(self, status: int) -> None:
        if status:
            raise native.failure(status, self.context)

    def forget(self) -> None:
        """Forget all jobs that were prepared."""
        self.prepared.clear()
        self.keys.clear()
        self.rows.clear()

    def prepare(self, job: native.Job) -> int:
        """The bytes of workspace that a job needs."""
        bytes_ = c_uint64()
        self.check(library.mw_prepare(self.context, byref(job), byref(bytes_)))
        return bytes_.value

    def workspace_bytes(self, job: native.Job, shape: Any = None) -> int:
        """The same, remembered for the next job of this shape (None: that of _shape_of)."""
        if job.in_count > _KEPT_LISTS:
            return self.prepare(job)
        shape = shape or _shape_of(job)
        known = self.prepared.get(shape)
        if known is None:
            known = self.prepare(job)
            if len(self.prepared) >= _KEPT:
                self.forget()
            self.prepared[shape] = known
        return known

    def keep_keys(self, order: Any, count: int,
                  pointer: int) -> Tuple[native.Table, native.Job, int]:
        """A sort of bare keys in place: its table, the job, the bytes of its workspace.

        It is kept for all sorts of as many keys. Each sets the address in the table.
        """
        keys = table(pointer, count)
        job = job_of(native.SORT, order, keys)
        bytes_ = self.workspace_bytes(job, (order, count))
        made = self.keys[order, count] = keys, job, bytes_
        return made

    def keep_rows(self, shape: Any, job: Any) -> Any:
        """Keep a job on rows of this shape, and return it."""
        if len(self.rows) >= _KEPT:
            self.forget()
        self.rows[shape] = job
        return job


class _Thread(threading.local):
    """The handles of this thread that are not in use, by device."""

    def __init__(self) -> None:
        self.free: Dict[str, List[Handle]] = {}


_thread = _Thread()


def take(device: str) -> Handle:
    """A handle on `device` for this thread alone, until it is given back.

    A comparison written in Python, a finalizer or a signal handler may call us while this
    thread's handle is in use: it then gets another one.
    """
    if device == "cuda":  # as tensors name it
        device = "cuda:0"
    free = _thread.free.get(device)
    if free:
        return free.pop()
    return Handle(device)


def give(handle: Handle) -> None:
    """Give a handle back. One that was forked meanwhile is dropped."""
    if handle.process == _process[0]:
        _thread.free.setdefault(handle.device, []).append(handle)


def release() -> None:
    """Close this thread's handles and free their scratch memory.

    A handle keeps the scratch memory of its largest job. The next call makes a new one.

    >>> import multiway
    >>> multiway.release()
    """
    _thread.free.clear()


def _after_fork() -> None:
    _process[0] += 1
    _thread.free.clear()


os.register_at_fork(after_in_child=_after_fork)


def table(elements: Optional[int], count: int,
          columns: Sequence[Tuple[Optional[int], int]] = ()) -> native.Table:
    """A struct mw_table; columns are (address, bytes of a value)."""
    made = native.Table(elements, count, None, 0)
    if columns:
        array = (native.Column * len(columns))(*[native.Column(*c) for c in columns])
        made.columns = addressof(array)
        made.column_count = len(columns)
        made.kept = array  # ctypes keeps no reference of an address
    return made


def job_of(operation: int, order: Any, tables: Any, out: Optional[native.Table] = None,
           **rest: Any) -> native.Job:
    """A struct mw_job; `tables` is one table, or an array of them for MERGE and SPLIT."""
    count = 1 if isinstance(tables, native.Table) else len(tables)
    job = native.Job(_JOB_BYTES, _TABLE_BYTES, _COLUMN_BYTES, operation, order.address,
                     addressof(tables), count, None if out is None else addressof(out))
    for name, value in rest.items():
        setattr(job, name, value)
    job.kept = (order, tables, out)
    return job


def _shape_of(job: native.Job) -> Tuple[Any, ...]:
    """All that the workspace of a job depends on."""
    order, tables, out = job.kept
    lists = (tables,) if isinstance(tables, native.Table) else tables
    first = lists[0]
    columns = getattr(first, "kept", ())
    wanted = None
    if out is not None:
        pairs = [(out.elements, first.elements)]
        pairs += [(o.data, i.data) for o, i in zip(getattr(out, "kept", ()), columns)]
        wanted = tuple((o is not None) + (o is not None and o == i) for o, i in pairs)
    return (order, job.operation, tuple(t.count for t in lists),
            tuple(c.bytes for c in columns), wanted, job.positions is None,
            job.position_type, job.segment_begins is None, job.segment_type,
            job.segment_count, job.first, job.last, job.rank_count)


def run(arrays: Any, like: Any, device: str, job: native.Job, shape: Any = None) -> None:
    """Run a job on arrays of one library, which are where `like` is.

    Host memory: the call waits. Device memory: the job is enqueued on the caller's stream,
    with a workspace from the caller's allocator. `shape` is what the workspace depends on,
    where the caller has a shorter word for it than _shape_of.
    """
    handle = take(device)
    try:
        if arrays.on_host(like):
            handle.check(library.mw_run(handle.context, byref(job)))
            return
        bytes_ = handle.workspace_bytes(job, shape)
        enqueue(arrays, like, handle, job, bytes_, arrays.stream(like))
    finally:
        give(handle)


def enqueue(arrays: Any, like: Any, handle: Handle, job: native.Job, bytes_: int,
            stream: Optional[int]) -> None:
    """Enqueue a job on the current stream, with a workspace from the caller's allocator."""
    workspace = arrays.room(bytes_, like) if bytes_ else None
    pointer = arrays.pointer(workspace) if bytes_ else None
    status = library.mw_enqueue(handle.context, byref(job), pointer, bytes_, stream)
    if status:
        raise native.failure(status, handle.context)


def enqueue_keys(arrays: Any, keys: Any, count: int, order: Any) -> None:
    """Enqueue a sort of a contiguous device array of bare keys in place."""
    handle = take(arrays.device(keys))
    try:
        pointer = arrays.pointer(keys)
        kept, job, bytes_ = (handle.keys.get((order, count)) or
                             handle.keep_keys(order, count, pointer))
        kept.elements = pointer
        enqueue(arrays, keys, handle, job, bytes_, arrays.stream(keys))
    finally:
        give(handle)
