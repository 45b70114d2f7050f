"""Sorting across the processes of an MPI program: sort_across."""
import ctypes
import ctypes.util
import importlib
import os
from ctypes import (CFUNCTYPE, Structure, byref, c_char, c_int, c_size_t, c_uint32,
                    c_uint64, c_void_p)
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Optional

from . import _native as native
from ._arrays import enter
from ._handle import give, job_of, table, take
from ._order import OrderLike, compiled

_CHUNK = 1 << 30  # bytes of one message at most: MPI counts by int
_KEEPS_MEMORY = 2  # MW_COMM_KEEPS_MEMORY
_FUNCTIONS = {"maximum": CFUNCTYPE(c_int, c_void_p, c_void_p, c_uint32),
              "allgather": CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_uint64),
              "alltoallv": CFUNCTYPE(c_int, *[c_void_p] * 7),
              "abort": CFUNCTYPE(None, c_void_p, c_int)}


class Comm(Structure):
    c_name = "mw_comm"
    _fields_ = [("size", c_size_t), ("rank", c_uint32), ("ranks", c_uint32),
                ("flags", c_uint32), ("state", c_void_p), *_FUNCTIONS.items(),
                ("error", c_char * 256), ("kept", c_void_p), ("kept_bytes", c_uint64)]


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    """libmultiway_across.so: in the wheel, in the build folder, or on the system."""
    core = native.library._name
    beside = Path(core).resolve().parent
    found = [str(path) for path in (beside / "libmultiway_across.so",
                                    beside.parent / "mpi/libmultiway_across.so")
             if path.exists()]
    path = found[0] if found else ctypes.util.find_library("multiway_across")
    if not path:
        raise ImportError(f"libmultiway_across.so is missing beside {core}")
    ctypes.CDLL(core, mode=ctypes.RTLD_GLOBAL)  # which it calls
    loaded = ctypes.CDLL(path)
    loaded.mw_sort_across.argtypes = [c_void_p, c_void_p, c_void_p]
    loaded.mw_across_release.argtypes = [c_void_p]
    loaded.mw_across_release.restype = None
    return loaded


def _bytes_at(address: int, count: int) -> Any:
    return (c_char * count).from_address(address)


def _numbers_at(address: int, count: int) -> Any:
    return (c_uint64 * count).from_address(address)


class _Received:
    """Memory for the rows that a rank receives; its handle keeps it for the next call."""

    def __init__(self) -> None:
        self.release = _library().mw_across_release
        self.comm = Comm(ctypes.sizeof(Comm))  # only its members kept and kept_bytes count

    def __del__(self) -> None:
        self.release(byref(self.comm))

    @staticmethod
    def move(source: Comm, to: Comm) -> None:
        """Move the memory, so that it is never freed twice."""
        kept, kept_bytes = source.kept, source.kept_bytes
        source.kept, source.kept_bytes = None, 0
        to.kept, to.kept_bytes = kept, kept_bytes


class _Ranks:
    """An mw_comm of a communicator of mpi4py, and the error that ended a call on it."""

    def __init__(self, comm: Any) -> None:
        self.mpi = importlib.import_module("mpi4py.MPI")
        self.comm = comm
        self.error: Optional[BaseException] = None
        self.struct = Comm(ctypes.sizeof(Comm), comm.rank, comm.size, _KEEPS_MEMORY, None, *[
            kind(self.guarded(getattr(self, name))) for name, kind in _FUNCTIONS.items()])

    def guarded(self, call: Callable[..., None]) -> Callable[..., int]:
        """An exception becomes a status: it cannot pass through C."""

        def status_of(state: Any, *arguments: Any) -> int:
            try:
                call(*arguments)
                return 0
            except BaseException as error:
                self.error = error
                return native.STATUSES["MW_DEVICE_FAILED"]

        return status_of

    def maximum(self, values: int, count: int) -> None:
        self.comm.Allreduce(self.mpi.IN_PLACE, [
            _numbers_at(values, count), self.mpi.UINT64_T], self.mpi.MAX)

    def allgather(self, send: int, receive: int, count: int) -> None:
        self.comm.Allgather([_bytes_at(send, count), self.mpi.BYTE],
                            [_bytes_at(receive, count * self.comm.size), self.mpi.BYTE])

    def alltoallv(self, send: int, send_bytes: int, send_at: int, receive: int,
                  receive_bytes: int, receive_at: int) -> None:
        requests = []
        for call, memory, sizes, places, step in (
                (self.comm.Irecv, receive, receive_bytes, receive_at, -1),
                (self.comm.Isend, send, send_bytes, send_at, 1)):
            for i in range(self.comm.size):  # not all to the same rank at first
                peer = (self.comm.rank + step * i) % self.comm.size
                size, place = (_numbers_at(n, peer + 1)[peer] for n in (sizes, places))
                requests += [call([_bytes_at(memory + place + at, min(_CHUNK, size - at)),
                                   self.mpi.BYTE], peer) for at in range(0, size, _CHUNK)]
        self.mpi.Request.Waitall(requests)

    def abort(self, status: int) -> None:
        self.comm.Abort(status)


def _share(comm: Any) -> str:
    """The device of a rank: its share of the processors of its machine."""
    here = comm.Split_type(importlib.import_module("mpi4py.MPI").COMM_TYPE_SHARED)
    ranks = here.size
    here.Free()
    return f"cpu:{max((os.cpu_count() or 1) // ranks, 1)}"


def _prepare(x: Any, order: OrderLike, descending: bool) -> Any:
    """A copy of x, the job that sorts it in place, and what makes the result of it."""
    arrays, x, back = enter(x)
    if x.ndim != 1 or not arrays.on_host(x):
        raise ValueError(f"x of shape {tuple(x.shape)}, expected one dimension, in host "
                         "memory")
    compiled_order = compiled(arrays.dtype(x), order, descending)
    result = arrays.copy(x)
    count = x.shape[0]
    return result, job_of(native.SORT, compiled_order,
                          table(arrays.pointer(result) if count else None, count)), back


def sort_across(x: Any, comm: Any, /, *, descending: bool = False, order: OrderLike = None,
                device: Optional[str] = None) -> Any:
    """Sort an array that is spread over the ranks of an MPI program: a collective call.

    ``x`` is this rank's part, 1-D, in host memory, of any length. ``comm`` is a
    communicator of mpi4py. The result has as many elements as x. All results, in the
    order of ranks, are the stable sort of all inputs. Without ``device`` the ranks of a
    machine share its processors. A failure on one rank is an error on all ranks.

    ::

        part = multiway.sort_across(part, MPI.COMM_WORLD)  # mpirun -n 4 python program.py
    """
    library = _library()
    own = comm.Dup()  # so that nobody else's messages are received
    try:
        share = _share(own)  # also if this rank has a device: all must call it
        ranks = _Ranks(own)
        try:
            result, job, back = _prepare(x, order, descending)
            handle = take(device or share)
        except BaseException:
            library.mw_sort_across(None, byref(ranks.struct), None)  # tells the others
            raise
        try:
            handle.received = handle.received or _Received()
            handle.received.move(handle.received.comm, ranks.struct)
            status = library.mw_sort_across(handle.context, byref(ranks.struct), byref(job))
            handle.received.move(ranks.struct, handle.received.comm)
        finally:
            give(handle)
        if status:
            raise native.failure_of(status, ranks.struct.error.decode()) from ranks.error
    finally:
        own.Free()
    return back(result)
