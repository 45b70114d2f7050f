"""The C library: where it is, its structs, constants and functions, and its errors.

The structs and constants of multiway.h and multiway_insight.h are written here and
nowhere else in Python; tests/python/test_native.py compares them with the headers.
"""
import ctypes
import ctypes.util
import os
from ctypes import (Structure, c_char, c_char_p, c_int, c_size_t,
                    c_uint32, c_uint64, c_void_p)
from pathlib import Path
from typing import Any, Dict, List, Tuple

VERSION = (0, 2)  # major and minor version of the headers that this file mirrors

STATUSES = {
    "MW_OK": 0, "MW_BAD_ARGUMENT": 1, "MW_NO_MEMORY": 2, "MW_NO_DEVICE": 3,
    "MW_DEVICE_FAILED": 4, "MW_COMPILE_FAILED": 5, "MW_UNSUPPORTED": 6,
    "MW_KERNEL_FAULT": 7, "MW_BAD_ORDER": 8,
}

I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, F16, BF16 = range(12)
BYTES = 255
SORT, MERGE, SPLIT, SELECT, CHECK = range(5)
ZEROS_EQUAL, NANS_EQUAL, NANS_LAST, LEAST_LAST = 1, 2, 4, 8
ENGINES = {"auto": 0, "heap": 1, "tile": 2, "pair": 3, "tally": 4, "deal": 5}


class Options(Structure):
    c_name = "mw_options"
    _fields_ = [("size", c_size_t), ("cache_path", c_char_p), ("cache_bytes", c_uint64),
                ("memory_bytes", c_uint64)]


class Field(Structure):
    c_name = "mw_field"
    _fields_ = [("column", c_uint32), ("offset", c_uint32), ("type", c_int),
                ("bytes", c_uint32), ("direction", c_int), ("flags", c_uint32)]


class Order(Structure):
    c_name = "mw_order"
    _fields_ = [("size", c_size_t), ("element_bytes", c_uint32), ("field_size", c_uint32),
                ("fields", c_void_p), ("field_count", c_uint32), ("less", c_char_p),
                ("declarations", c_char_p), ("less_on_host", c_void_p)]


class Column(Structure):
    c_name = "mw_column"
    _fields_ = [("data", c_void_p), ("bytes", c_uint32)]


class Table(Structure):
    c_name = "mw_table"
    _fields_ = [("elements", c_void_p), ("count", c_uint64), ("columns", c_void_p),
                ("column_count", c_uint32)]


class Job(Structure):
    c_name = "mw_job"
    _fields_ = [("size", c_size_t), ("table_size", c_uint32), ("column_size", c_uint32),
                ("operation", c_int), ("order", c_void_p), ("in", c_void_p),
                ("in_count", c_uint32), ("out", c_void_p), ("positions", c_void_p),
                ("position_type", c_int), ("segment_begins", c_void_p),
                ("segment_ends", c_void_p), ("segment_type", c_int),
                ("segment_count", c_uint64), ("first", c_uint64), ("last", c_uint64),
                ("ranks", c_void_p), ("rank_count", c_uint64), ("cuts", c_void_p)]


class Info(Structure):
    c_name = "mw_info"
    _fields_ = [("size", c_size_t), ("device", c_char * 32), ("name", c_char * 128),
                ("driver", c_char * 64), ("memory_bytes", c_uint64),
                ("processors", c_uint32), ("architecture", c_uint32),
                ("shared_per_block", c_uint64), ("shared_per_processor", c_uint64),
                ("ahead_of_time", c_int), ("fallback", c_char * 192),
                ("memory_limit", c_uint64)]


class Tuning(Structure):
    c_name = "mw_tuning"
    _fields_ = [("size", c_size_t), ("engine", c_int), ("ways", c_uint32),
                ("warps", c_uint32), ("threads", c_uint32), ("items", c_uint32),
                ("base", c_uint32)]


class Traffic(Structure):
    c_name = "mw_traffic"
    _fields_ = [(name, c_uint64) for name in (
        "shared_requests", "shared_wavefronts", "shared_ideal", "global_requests",
        "global_sectors", "global_distinct", "global_ideal", "shuffles", "barriers",
        "shared_worst")]


class Counts(Structure):
    c_name = "mw_counts"
    _fields_ = [("size", c_size_t), ("count", c_uint64), ("rounds", c_uint32),
                ("launches", c_uint32), ("bytes_read", c_uint64),
                ("bytes_written", c_uint64), ("warp_shared", c_uint64),
                ("tuning", Tuning), ("traffic", Traffic)]


class LedgerLine(Structure):
    c_name = "mw_ledger_line"
    _fields_ = [("kernel", c_char_p), ("file", c_char_p), ("line", c_int),
                ("text", c_char_p), ("access", c_int), ("stores", c_int),
                ("launches", c_uint64), ("traffic", Traffic)]


STRUCTS = [Options, Field, Order, Column, Table, Job, Info, Tuning, Traffic, Counts,
           LedgerLine]

_FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "mw_version": (c_int, []),
    "mw_status_text": (c_char_p, [c_int]),
    "mw_open": (c_int, [c_void_p, c_char_p, c_void_p]),
    "mw_close": (None, [c_void_p]),
    "mw_error": (c_char_p, [c_void_p]),
    "mw_sort": (c_int, [c_void_p, c_int, c_int, c_void_p, c_uint64]),
    "mw_argsort": (c_int, [c_void_p, c_int, c_int, c_void_p, c_void_p, c_int, c_uint64]),
    "mw_prepare": (c_int, [c_void_p, c_void_p, c_void_p]),
    "mw_run": (c_int, [c_void_p, c_void_p]),
    "mw_enqueue": (c_int, [c_void_p, c_void_p, c_void_p, c_uint64, c_void_p]),
    "mw_get_info": (c_int, [c_void_p, c_void_p]),
    "mw_set_tuning": (c_int, [c_void_p, c_void_p]),
    "mw_get_counts": (c_int, [c_void_p, c_void_p]),
    "mw_get_ledger": (c_int, [c_void_p, c_void_p, c_void_p]),
    "mw_access_name": (c_char_p, [c_int]),
}


class MultiwayError(Exception):
    """A call of the library failed; the text is the library's own.

    Wrong arguments are also a ValueError, and missing memory is also a MemoryError.
    """

    status = 0  # the mw_status


class BadArgument(MultiwayError, ValueError):
    """The library refused an argument, or the text of an order does not compile."""


class NoMemory(MultiwayError, MemoryError):
    """Host or device memory ran out."""


_ERRORS = {STATUSES["MW_BAD_ARGUMENT"]: BadArgument, STATUSES["MW_BAD_ORDER"]: BadArgument,
           STATUSES["MW_NO_MEMORY"]: NoMemory}


def failure_of(status: int, text: str) -> MultiwayError:
    """The exception for a status other than MW_OK."""
    error = _ERRORS.get(status, MultiwayError)(text)
    error.status = status
    return error


def failure(status: int, context: Any) -> MultiwayError:
    """The same for that of a call on a handle."""
    return failure_of(status, library.mw_error(context).decode())


def _candidates() -> List[str]:
    """Where the library may be: named by the user, in the wheel, or in a build folder."""
    here = Path(__file__).resolve().parent
    named = os.environ.get("MULTIWAY_LIBRARY")
    if named:
        return [named]
    found = [str(path) for path in (here / "libmultiway.so",
                                    here.parents[1] / "build/src/libmultiway.so")
             if path.exists()]
    installed = ctypes.util.find_library("multiway") if not found else None
    return found + [installed] if installed else found


def _load() -> ctypes.CDLL:
    candidates = _candidates()
    if not candidates:
        raise ImportError("libmultiway.so is missing: install the package with pip, or "
                          "build the repository and set MULTIWAY_LIBRARY to the file")
    loaded = ctypes.CDLL(candidates[0])
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = arguments
    version = divmod(loaded.mw_version() // 100, 100)
    if version != VERSION:
        raise ImportError(f"{candidates[0]} is version {version[0]}.{version[1]}, "
                          f"expected {VERSION[0]}.{VERSION[1]}")
    return loaded


library = _load()
_number = library.mw_version()
__version__ = f"{_number // 10000}.{_number // 100 % 100}.{_number % 100}"
