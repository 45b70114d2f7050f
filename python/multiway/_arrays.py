"""Array libraries: what the functions of this package need of NumPy, CuPy and PyTorch.

Everything else comes in through one of these, without a copy: lists and what NumPy takes
through NumPy, device arrays of other libraries through DLPack or the CUDA Array Interface.
"""
import importlib
import operator
import sys
from ctypes import addressof, c_char
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np


class _BFloat16:
    """What _order.py asks of a dtype, for bfloat16, which NumPy does not have."""

    name = "bfloat16"
    str = "<V2"
    kind = "V"
    itemsize = 2
    names = subdtype = None
    hasobject = False


def address(x: Any) -> int:
    """Where a contiguous NumPy array is: a third of the time that x.ctypes.data takes."""
    try:
        return addressof(c_char.from_buffer(x))
    except (TypeError, ValueError):  # read-only, empty, or a dtype without a buffer
        return x.ctypes.data  # type: ignore[no-any-return]


class NumpyArrays:
    """NumPy arrays: host memory."""

    xp: Any = np

    def on_host(self, x: Any) -> bool:
        return True

    def device(self, x: Any) -> str:
        return "cpu"

    def stream(self, x: Any) -> Optional[int]:
        return None

    def is_capturing(self, x: Any, stream: int) -> bool:
        """Is what is enqueued on x's current stream captured in a graph?"""
        return False

    def dtype(self, x: Any) -> Any:
        return x.dtype

    def pointer(self, x: Any) -> int:
        return address(x)

    def contiguous(self, x: Any) -> Any:
        return self.xp.ascontiguousarray(x)

    def copy(self, x: Any) -> Any:
        return x.copy(order="C")

    def empty(self, shape: Tuple[int, ...], dtype: Any, like: Any) -> Any:
        """A new array where `like` is."""
        return self.xp.empty(shape, dtype)

    def room(self, bytes_: int, like: Any) -> Any:
        """New memory where `like` is."""
        return self.empty((bytes_,), "u1", like)

    def arange(self, stop: int, step: int, dtype: str, like: Any) -> Any:
        """0, step, 2 * step and so on, up to `stop`."""
        return self.xp.arange(0, stop + 1, step, dtype=dtype)

    def numbers(self, x: Any, like: Any) -> Any:
        """A list or an array as contiguous integers of 8 bytes where `like` is."""
        numbers = self.xp.asarray(x)
        if numbers.size and numbers.dtype.kind not in "iu":
            raise TypeError(f"numbers of dtype {numbers.dtype}, expected integers")
        return self.xp.ascontiguousarray(numbers, dtype="i8")

    def moveaxis(self, x: Any, axis: int, to: int) -> Any:
        return self.xp.moveaxis(x, axis, to)

    def assign(self, to: Any, x: Any) -> None:
        to[...] = x

    def can_sort_in(self, x: Any) -> bool:
        """Contiguous, aligned and writable: can the library sort in this memory?"""
        return x.flags.carray  # type: ignore[no-any-return]

    def bits(self, x: Any) -> Any:
        """Host memory of floats as a NumPy array of unsigned numbers."""
        return x.view(f"u{x.dtype.itemsize}")


class CupyArrays(NumpyArrays):
    """CuPy arrays: memory of the array's device, from CuPy's pool."""

    def __init__(self) -> None:
        self.xp = importlib.import_module("cupy")
        self.from_dlpack = self.xp.from_dlpack
        self.from_interface = self.xp.asarray

    def on_host(self, x: Any) -> bool:
        return False

    def device(self, x: Any) -> str:
        current = self.xp.cuda.runtime.getDevice()
        if x.device.id != current:
            raise ValueError(f"CuPy array on device {x.device.id}, while device {current} "
                             "is current (expected: with x.device)")
        return f"cuda:{current}"

    def stream(self, x: Any) -> Optional[int]:
        return self.xp.cuda.get_current_stream().ptr  # type: ignore[no-any-return]

    def is_capturing(self, x: Any, stream: int) -> bool:
        return bool(self.xp.cuda.runtime.streamIsCapturing(stream))

    def pointer(self, x: Any) -> int:
        return x.data.ptr  # type: ignore[no-any-return]

    def can_sort_in(self, x: Any) -> bool:
        return x.flags.c_contiguous  # type: ignore[no-any-return]


class TorchArrays:
    """PyTorch tensors, on the CPU or on a GPU."""

    def __init__(self) -> None:
        self.torch = torch = importlib.import_module("torch")
        names = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                 "uint64", "float16", "float32", "float64", "complex64", "complex128")
        self.dtypes: Dict[Any, Any] = {getattr(torch, name): np.dtype(name)
                                       for name in names if hasattr(torch, name)}
        self.torch_dtypes: Dict[Any, Any] = {d: t for t, d in self.dtypes.items()}
        self.torch_dtypes.update({d.name: t for t, d in self.dtypes.items()})
        self.dtypes[torch.bfloat16] = _BFloat16()
        self.torch_dtypes.update({t: t for t in self.dtypes})
        self.byte = torch.uint8
        # What torch.cuda.current_stream(device).cuda_stream is, without making an object.
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda index: torch.cuda.current_stream(index).cuda_stream)

    def from_dlpack(self, x: Any) -> Any:
        return self.torch.from_dlpack(x)

    def from_interface(self, x: Any) -> Any:
        return self.torch.as_tensor(x, device="cuda")

    def on_host(self, x: Any) -> bool:
        return not x.is_cuda

    def device(self, x: Any) -> str:
        if x.is_cuda:
            return f"cuda:{x.get_device()}"
        if x.device.type != "cpu":
            raise TypeError(f"a tensor on {x.device} (expected cpu or cuda)")
        return "cpu"

    def stream(self, x: Any) -> Optional[int]:
        return self.raw_stream(x.get_device())  # type: ignore[no-any-return]

    def is_capturing(self, x: Any, stream: int) -> bool:
        cuda = self.torch.cuda
        with cuda.device(x.get_device()):
            return cuda.is_current_stream_capturing()  # type: ignore[no-any-return]

    def dtype(self, x: Any) -> Any:
        try:
            return self.dtypes[x.dtype]
        except KeyError:
            raise TypeError(f"multiway cannot sort dtype {x.dtype}") from None

    def pointer(self, x: Any) -> int:
        return x.data_ptr()  # type: ignore[no-any-return]

    def plain(self, x: Any) -> Any:
        """A tensor whose memory has its values: no gradient, nothing left to negate."""
        x = x.detach() if x.requires_grad else x
        return x.resolve_conj().resolve_neg() if x.is_conj() or x.is_neg() else x

    def contiguous(self, x: Any) -> Any:
        if x.requires_grad or x.is_conj() or x.is_neg():
            x = self.plain(x)
        return x.contiguous()

    def copy(self, x: Any) -> Any:
        x = self.plain(x)
        if x.is_contiguous():
            return x.clone()  # 0.3 us shorter than with a format
        return x.clone(memory_format=self.torch.contiguous_format)

    def empty(self, shape: Tuple[int, ...], dtype: Any, like: Any) -> Any:
        # Lengths one by one take 0.3 us less than all as a tuple.
        return like.new_empty(*shape, dtype=self.torch_dtypes[dtype])

    def room(self, bytes_: int, like: Any) -> Any:
        return like.new_empty(bytes_, dtype=self.byte)

    def arange(self, stop: int, step: int, dtype: str, like: Any) -> Any:
        return self.torch.arange(0, stop + 1, step, dtype=getattr(self.torch, dtype),
                                 device=like.device)

    def numbers(self, x: Any, like: Any) -> Any:
        numbers = self.torch.as_tensor(x, device=like.device)
        if numbers.numel() and self.dtype(numbers).kind not in "iu":
            raise TypeError(f"numbers of dtype {numbers.dtype}, expected integers")
        return numbers.to(self.torch.int64).contiguous()

    def moveaxis(self, x: Any, axis: int, to: int) -> Any:
        return x.movedim(axis, to)

    def assign(self, to: Any, x: Any) -> None:
        to.copy_(x.detach())

    def can_sort_in(self, x: Any) -> bool:
        return x.is_contiguous()  # type: ignore[no-any-return]

    def bits(self, x: Any) -> Any:
        signed = {2: self.torch.int16, 4: self.torch.int32, 8: self.torch.int64}
        size = x.element_size()
        return x.view(signed[size]).numpy().view(f"u{size}")


def _same(x: Any) -> Any:
    return x


class Entry:
    """How arrays of one Python type come in, and how results go back."""

    def __init__(self, arrays: Any, into: Callable[[Any], Any] = _same,
                 back: Callable[[Any], Any] = _same) -> None:
        self.arrays, self.into, self.back = arrays, into, back


_numpy = NumpyArrays()
_libraries: Dict[str, Any] = {}
_entries: Dict[type, Entry] = {}


def _library(name: str) -> Any:
    if name not in _libraries:
        _libraries[name] = {"torch": TorchArrays, "cupy": CupyArrays}[name]()
    return _libraries[name]


def _native_order(x: Any) -> Any:
    """An aligned NumPy array of this machine's byte order; a copy of any other."""
    array = np.asarray(x)
    if array.dtype.isnative and array.flags.aligned:
        return array
    return array.astype(array.dtype.newbyteorder("="))


def _of_dlpack(x: Any) -> Any:
    """A NumPy array in the memory of an array on the CPU that knows DLPack alone."""
    return _native_order(np.from_dlpack(x))


def _carrier(x: Any) -> Any:
    """A library of device arrays that can take up those of others."""
    for name in sorted(("cupy", "torch"), key=lambda name: name not in sys.modules):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        return _library(name)
    raise TypeError(f"device arrays of type {type(x).__name__} need CuPy or PyTorch to be "
                    "installed")


def _device_entry(x: Any) -> Entry:
    """Arrays on a GPU of a library that we do not know: Numba, JAX and others."""
    carrier = _carrier(x)
    if hasattr(x, "__array_namespace__"):
        return Entry(carrier, carrier.from_dlpack,
                     lambda r: x.__array_namespace__().from_dlpack(r))
    if not hasattr(x, "__cuda_array_interface__"):
        return Entry(carrier, carrier.from_dlpack)
    if type(x).__module__.startswith("numba."):
        return Entry(carrier, carrier.from_interface,
                     importlib.import_module("numba.cuda").as_cuda_array)
    return Entry(carrier, carrier.from_interface)


def _entry_of(x: Any) -> Entry:
    roots = [cls.__module__.partition(".")[0] for cls in type(x).__mro__]
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("multiway cannot sort masked arrays (expected x.compressed() or "
                        "x.filled())")
    if "numpy" in roots:
        return Entry(_numpy, _native_order)
    for name in ("torch", "cupy"):
        if name in roots and name in sys.modules:
            return Entry(_library(name))
    on_device = hasattr(x, "__cuda_array_interface__")
    if not on_device and hasattr(x, "__dlpack_device__"):
        on_device = int(x.__dlpack_device__()[0]) != 1
    if on_device:
        return _device_entry(x)
    into = _native_order
    if hasattr(x, "__dlpack__") and hasattr(np, "from_dlpack") and not (
            hasattr(x, "__array__") or hasattr(x, "__array_interface__")):
        into = _of_dlpack
    if hasattr(x, "__array_namespace__"):
        return Entry(_numpy, into, lambda r: x.__array_namespace__().asarray(r))
    return Entry(_numpy, into)


def enter(x: Any) -> Tuple[Any, Any, Callable[[Any], Any]]:
    """(the library of an array, the array as one of its own, what turns results back)."""
    entry = _entries.get(type(x))
    if entry is None:
        entry = _entry_of(x)
        if entry.into is _same or entry.arrays is _numpy and isinstance(x, np.ndarray):
            _entries[type(x)] = entry  # others may be on the CPU or on a GPU
    return entry.arrays, entry.into(x), entry.back


def enter_all(items: Sequence[Any]) -> Tuple[Any, List[Any], Callable[[Any], Any]]:
    """The same for several arrays, which must be of one library and on one device."""
    entered = [enter(x) for x in items]
    arrays, first, back = entered[0]
    for other, x, _ in entered:
        if other is not arrays or arrays.device(x) != arrays.device(first):
            raise TypeError("arrays of several libraries or devices: "
                            f"{', '.join(type(item).__name__ for item in items)}")
    return arrays, [x for _, x, _ in entered], back


def place(arrays: Any, x: Any, device: Optional[str]) -> str:
    """Where a job on x runs: host arrays where the caller says, device arrays at home."""
    own = arrays.device(x)
    if device is None or device == own:
        return own  # type: ignore[no-any-return]
    if not arrays.on_host(x):
        raise ValueError(f"device={device!r} for an array on {own}; only host arrays can "
                         "be sorted elsewhere")
    return device


def axis_of(axis: Any, ndim: int) -> int:
    """`axis` counted from 0, or NumPy's AxisError."""
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise getattr(np, "exceptions", np).AxisError(number, ndim)
    return number % ndim
