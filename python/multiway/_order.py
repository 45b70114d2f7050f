"""Orders: which type of the library a dtype is, and how its elements compare."""
import ctypes
import functools
from _ctypes import CFuncPtr
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _native as native

# The type of each number; dtypes are named as numpy.dtype.str does, without byte order.
NUMBERS = {
    "b1": native.U8, "i1": native.I8, "u1": native.U8, "i2": native.I16, "u2": native.U16,
    "i4": native.I32, "u4": native.U32, "i8": native.I64, "u8": native.U64,
    "f2": native.F16, "f4": native.F32, "f8": native.F64, "bfloat16": native.BF16,
    "m8": native.I64, "M8": native.I64,
}
# Types in which positions and segments can be given.
POSITIONS = {"i4": native.I32, "u4": native.U32, "i8": native.I64, "u8": native.U64}

_FLOATS = {native.F16: 2, native.BF16: 2, native.F32: 4, native.F64: 8}  # bytes
_NUMPY = native.ZEROS_EQUAL | native.NANS_EQUAL | native.NANS_LAST
_MOST_FIELDS = 16


class Order:
    """How elements compare: by fields, or by a C expression.

    ``Order("a", "-b")`` compares field ``a`` of a structured dtype, then field ``b``
    descending. Elements equal in all of these keep their order. (Names given as ``order=``
    directly mean what they mean to NumPy: other fields break ties.) With ``total=True``
    floats compare by their bits: -0 before +0, and NaNs, the greatest, by their bits.
    ``Order(total=True)`` is ``multiway.TOTAL``.

    ``Order(less="a->x < b->x", declarations="typedef struct { int x; } mw_element;")``
    compares by a C expression in ``a`` and ``b``, compiled for the GPU when it is first
    used. On the CPU and in the simulator ``on_host`` is called: a ctypes function or its
    address, ``int (const void *a, const void *b)``, non-zero iff ``a`` precedes ``b``.

    >>> import multiway, numpy as np
    >>> x = np.array([(2, 0.5), (1, 0.5), (2, 1.5)], dtype=[("a", "i4"), ("b", "f4")])
    >>> multiway.argsort(x, order=multiway.Order("-b", "a")).tolist()
    [2, 1, 0]
    """

    def __init__(self, *fields: str, total: bool = False, less: Optional[str] = None,
                 declarations: Optional[str] = None, on_host: Any = None) -> None:
        if fields and (less or on_host):
            raise ValueError("an order is made of fields or of an expression, not of both")
        self.fields = fields
        self.total = total
        self.less = less
        self.declarations = declarations
        self.on_host = on_host

    def _content(self) -> Tuple[Any, ...]:
        return self.fields, self.total, self.less, self.declarations, id(self.on_host)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Order) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __repr__(self) -> str:
        parts = [repr(field) for field in self.fields]
        parts += [f"{name}={value!r}" for name, value in vars(self).items()
                  if name != "fields" and value]
        return f"multiway.Order({', '.join(parts)})"


TOTAL = Order(total=True)
OrderLike = Union[None, str, Iterable[str], Order]


class Part(NamedTuple):
    """A number or byte string of an element."""

    offset: int
    type: int
    bytes: int  # of a byte string, else 0
    flags: int  # NumPy's order


def name_of(dtype: np.dtype) -> str:
    """The name of a dtype in NUMBERS, if it is a number."""
    return "bfloat16" if dtype.name == "bfloat16" else dtype.str[1:3]


def _parts(dtype: np.dtype, offset: int = 0) -> Iterator[Part]:
    """The numbers and strings of an element, in the order of memory."""
    number = NUMBERS.get(name_of(dtype))
    if dtype.names is not None:
        for name in dtype.names:
            inner, at = dtype.fields[name][:2]  # type: ignore[index]
            yield from _parts(inner, offset + at)
    elif dtype.subdtype is not None:
        inner, _ = dtype.subdtype
        for at in range(0, dtype.itemsize, inner.itemsize or 1):
            yield from _parts(inner, offset + at)
    elif number is not None:
        flags = _NUMPY if number in _FLOATS else 0
        yield Part(offset, number, 0, native.LEAST_LAST if dtype.kind in "mM" else flags)
    elif dtype.kind == "c" and dtype.itemsize <= 16:
        half = np.dtype(f"f{dtype.itemsize // 2}")
        yield from _parts(half, offset)
        yield from _parts(half, offset + half.itemsize)
    elif issubclass(dtype.type, (np.bytes_, np.void)) and dtype.itemsize:
        yield Part(offset, native.BYTES, dtype.itemsize, 0)
    elif dtype.kind == "U" and dtype.itemsize:
        for at in range(0, dtype.itemsize, 4):
            yield Part(offset + at, native.U32, 0, 0)
    else:
        raise TypeError(f"multiway cannot sort dtype {dtype} (expected bool, integers, "
                        "floats of 2 to 8 bytes, complex, datetime64, timedelta64, bytes, "
                        "or a structure of these)")


def _field_parts(dtype: np.dtype, name: str) -> Tuple[str, bool, List[Part]]:
    """A field by its name, perhaps with a minus: (name, descending, parts)."""
    if not isinstance(name, str):
        raise TypeError(f"order names field {name!r}, expected a string")
    descending = name.startswith("-") and name not in (dtype.names or ())
    plain = name[1:] if descending else name
    if not dtype.names:
        raise ValueError(f"order={name!r} names a field, but dtype {dtype} has none")
    if plain not in dtype.names:
        raise ValueError(f"unknown field {plain!r} (expected one of {dtype.names})")
    inner, at = dtype.fields[plain][:2]  # type: ignore[index]
    return plain, descending, list(_parts(inner, at))


def _criteria(dtype: np.dtype, order: Any) -> List[Tuple[Part, bool]]:
    """What is compared, and whether it descends, the first criterion first."""
    names = order.fields if isinstance(order, Order) else order
    if not names:
        return [(part, False) for part in _parts(dtype)]
    found, seen = [], set()
    for name in names:
        plain, descending, parts = _field_parts(dtype, name)
        if plain in seen:
            raise ValueError(f"order names field {plain!r} twice")
        seen.add(plain)
        found += [(part, descending) for part in parts]
    if not isinstance(order, Order):  # NumPy: the other fields break ties
        for name in dtype.names or ():
            if name not in seen:
                found += [(part, False) for part in _field_parts(dtype, name)[2]]
    return found


class Compiled:
    """An mw_order, with what its users want to know. It does not change."""

    def __init__(self, struct: native.Order, kept: Any, bare: Optional[Part] = None,
                 descending: bool = False, total: bool = False,
                 ties: Optional[int] = None) -> None:
        self.struct, self.kept = struct, kept
        self.address = ctypes.addressof(struct)
        self.type = bare.type if bare else None  # elements are one number of this type
        self.descending = descending
        # The type of elements that are one float, perhaps the only field of a structure.
        # Equal ones may have different bits: a sort that only sees bits cannot keep their
        # order. With the flags that rotate the order there is no such sort at all.
        self.ties = ties
        self.is_rotated = bare is not None and not total and (
            ties is not None if descending else bare.flags == native.LEAST_LAST)


def _struct(element_bytes: int, criteria: List[Tuple[int, Part, bool]],
            total: bool) -> Tuple[native.Order, Any]:
    """An mw_order of (column, part, descending)."""
    if not 0 < len(criteria) <= _MOST_FIELDS:
        raise ValueError(f"an order of {len(criteria)} numbers and strings, expected 1 to "
                         f"{_MOST_FIELDS}")
    fields = (native.Field * len(criteria))(*[
        native.Field(column, part.offset, part.type, part.bytes, descending,
                     0 if total else part.flags) for column, part, descending in criteria])
    return native.Order(ctypes.sizeof(native.Order), element_bytes,
                        ctypes.sizeof(native.Field), ctypes.addressof(fields),
                        len(criteria)), fields


def _by_expression(dtype: np.dtype, order: Order) -> Compiled:
    def text(name: str, value: Optional[str]) -> Optional[bytes]:
        if not isinstance(value, (str, type(None))):
            raise TypeError(f"{name} is {value!r}, expected a string")
        return None if value is None else value.encode()

    pointer = order.on_host
    if pointer is not None and not isinstance(pointer, int):
        # Not whatever ctypes can cast: it would call the characters of a string.
        if not isinstance(pointer, (CFuncPtr, ctypes.c_void_p)):
            raise TypeError(f"on_host is {pointer!r}, expected a ctypes function or its "
                            "address")
        pointer = ctypes.cast(pointer, ctypes.c_void_p).value
    return Compiled(native.Order(
        ctypes.sizeof(native.Order), dtype.itemsize, ctypes.sizeof(native.Field), None, 0,
        text("less", order.less), text("declarations", order.declarations), pointer), order)


@functools.lru_cache(maxsize=512)
def _compiled(dtype: np.dtype, order: Any, descending: bool) -> Compiled:
    if isinstance(order, Order) and (order.less or order.on_host):
        if descending:
            raise ValueError("descending with an expression: write the other expression")
        return _by_expression(dtype, order)
    total = isinstance(order, Order) and order.total
    criteria = [(part, down != descending) for part, down in _criteria(dtype, order)]
    struct, kept = _struct(dtype.itemsize, [(0, *c) for c in criteria], total)
    part, down = criteria[0]
    is_bare = len(criteria) == 1 and part.type != native.BYTES and not dtype.names
    is_whole = len(criteria) == 1 and _FLOATS.get(part.type) == dtype.itemsize
    return Compiled(struct, kept, part if is_bare else None, down, total,
                    part.type if is_whole and not total else None)


def compiled(dtype: np.dtype, order: OrderLike, descending: bool) -> Compiled:
    """The order of a dtype, for the library. Equal arguments give the same object."""
    if isinstance(order, str):
        order = (order,)
    elif order is not None and not isinstance(order, Order):
        try:
            order = tuple(order)
            hash(order)
        except TypeError:
            raise TypeError(f"order is {order!r}, expected names of fields or an Order"
                            ) from None
    return _compiled(dtype, order, bool(descending))


@functools.lru_cache(maxsize=512)
def columns_order(dtypes: Tuple[np.dtype, ...], descending: bool = False) -> Compiled:
    """By several arrays: the first is that of the elements, then column 1, and so on."""
    criteria = [(column, part, descending)
                for column, dtype in enumerate(dtypes) for part in _parts(dtype)]
    return Compiled(*_struct(dtypes[0].itemsize, criteria, False))


@functools.lru_cache(maxsize=64)
def position_type(dtype: Any) -> Tuple[int, np.dtype]:
    """The library's type of positions, and the dtype itself."""
    if type(dtype).__module__ == "torch":  # torch.int32
        dtype = str(dtype).rpartition(".")[2]
    wanted = np.dtype("i8" if dtype is None else dtype)
    if wanted.str[1:] not in POSITIONS or not wanted.isnative:
        raise TypeError(f"positions of dtype {wanted} (expected int32, uint32, int64 or "
                        "uint64)")
    return POSITIONS[wanted.str[1:]], wanted
