"""Devices, tuning, and the simulator's counts: info, set_tuning, count."""
import operator
from ctypes import POINTER, byref, c_size_t, c_void_p, cast, sizeof
from typing import Any, Dict, List, Tuple

import numpy as np

from . import _native as native
from ._handle import Handle, give, take
from ._native import library
from ._order import compiled


def _members(struct: Any, leave_out: Tuple[str, ...] = ("size",)) -> Dict[str, Any]:
    members = {name: getattr(struct, name) for name, _ in struct._fields_
               if name not in leave_out}
    return {name: value.decode() if isinstance(value, bytes) else value
            for name, value in members.items()}


def info(device: str = "auto") -> Dict[str, Any]:
    """What a device is: the members of mw_info.

    >>> import multiway
    >>> multiway.info("cpu:2")["processors"]
    2
    """
    handle = take(device)
    try:
        told = native.Info(sizeof(native.Info))
        handle.check(library.mw_get_info(handle.context, byref(told)))
        return _members(told)
    finally:
        give(handle)


def _tuning(**fields: Any) -> native.Tuning:
    tuning = native.Tuning(sizeof(native.Tuning))
    known = [member[0] for member in native.Tuning._fields_[1:]]  # without its size
    for name, value in fields.items():
        if name not in known:
            raise TypeError(f"unknown tuning {name!r} (expected engine, ways, warps, "
                            "threads, items or base)")
        if name == "engine":
            if value not in native.ENGINES:
                raise ValueError(f"unknown engine {value!r} (expected one of "
                                 f"{', '.join(native.ENGINES)})")
            value = native.ENGINES[value]
        elif not 0 <= operator.index(value) < 1 << 32:  # ctypes would take it modulo 2^32
            raise ValueError(f"{name} is {value}, expected a number below 2^32, 0 for the "
                             "library's choice")
        setattr(tuning, name, value)
    return tuning


def set_tuning(device: str, **fields: Any) -> None:
    """How this thread's later sorts on a device are made; without fields: the defaults.

    ``engine`` is "auto", "heap", "tile", "pair", "tally" or "deal"; ``ways``, ``warps``,
    ``threads``, ``items`` and ``base`` are numbers, 0 for the library's choice
    (mw_tuning has more).

    >>> import multiway
    >>> multiway.set_tuning("sim", engine="heap", ways=8)
    >>> multiway.set_tuning("sim")
    """
    handle = take(device)
    try:
        tuning = _tuning(**fields)
        handle.check(library.mw_set_tuning(handle.context, byref(tuning)))
        handle.forget()
    finally:
        give(handle)


class Counted:
    """What the simulator counted in a sort. ``print`` shows it as a table.

    totals
        Traffic of the whole sort, by the names of mw_traffic.
    lines
        A dictionary for each source line of a kernel and kind of access; pandas.DataFrame
        takes the list as it is.
    """

    def __init__(self, counts: native.Counts, lines: List[Dict[str, Any]]) -> None:
        self.totals = _members(counts.traffic)
        self.rounds, self.launches = counts.rounds, counts.launches
        self.lines = lines

    def __str__(self) -> str:
        names = ("kernel", "file", "line", "access", "shared_wavefronts", "shared_ideal",
                 "global_sectors", "global_ideal")
        rows = [names] + [tuple(str(line[name]) for name in names) for line in self.lines]
        widths = [max(len(row[i]) for row in rows) for i in range(len(names))]
        return "\n".join("  ".join(
            cell.ljust(width) if i in (0, 1, 3) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


def _ledger(handle: Handle) -> List[Dict[str, Any]]:
    address, count = c_void_p(), c_size_t()
    handle.check(library.mw_get_ledger(handle.context, byref(address), byref(count)))
    lines = cast(address, POINTER(native.LedgerLine))
    found = []
    for i in range(count.value):
        line = _members(lines[i], ("traffic",))
        line["access"] = library.mw_access_name(lines[i].access).decode()
        line["stores"] = bool(line["stores"])
        found.append({**line, **_members(lines[i].traffic)})
    return found


def count(x: Any, /, *, descending: bool = False, **tuning: Any) -> Counted:
    """Sort a copy of a 1-D array of numbers in the simulator and count memory accesses.

    ``tuning`` is as of ``set_tuning``. The simulator is for small inputs.

    >>> import multiway, numpy as np
    >>> counted = multiway.count(np.arange(3000, dtype="i4")[::-1], engine="heap")
    >>> counted.totals["shared_wavefronts"] == counted.totals["shared_ideal"]
    True
    """
    keys = np.array(x, order="C")
    order = compiled(keys.dtype, None, descending)
    if order.type is None or keys.ndim != 1:
        raise TypeError(f"count of {keys.dtype} of shape {keys.shape}, expected one "
                        "dimension of numbers")
    handle = Handle("sim")
    chosen = _tuning(**tuning)
    handle.check(library.mw_set_tuning(handle.context, byref(chosen)))
    handle.check(library.mw_sort(handle.context, order.type, order.descending,
                                 keys.ctypes.data, keys.size))
    counts = native.Counts(sizeof(native.Counts))
    handle.check(library.mw_get_counts(handle.context, byref(counts)))
    return Counted(counts, _ledger(handle))
