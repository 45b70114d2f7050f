"""python_bars.py [PART...]: the bars of the Python package: bar, figure, verdict, as TSV.

Parts: overhead, numpy, torch, cupy; all of them without arguments. numpy:i4,f4 is a share
of part numpy, by dtypes, and numpy:records another one. What is not installed, or needs a
GPU that is not there, is skipped. Ours and the rival run in turn in one
process, medians count, and results are compared. bars_python.sh sets the paths.
"""
import ctypes
import importlib
import statistics
import sys
import time

import numpy as np

import multiway
from multiway import _handle, _native, _order

THREADS = "cpu:2"
DTYPES = "b1,i1,u1,i2,u2,i4,u4,i8,u8,f2,f4,f8,records"


def tell(bar, figure, verdict):
    print(f"{bar}\t{figure}\t{verdict}", flush=True)


def judge(bar, figure, holds):
    tell(bar, figure, "holds" if holds else "missed")


def in_turn(calls, rounds, repeat=1, wait=lambda: None, best=statistics.median):
    """Median seconds of each call, all of them in turn, `repeat` calls back to back."""
    times = [[] for _ in calls]
    for number in range(rounds + 1):
        for call, taken in zip(calls, times):
            wait()
            begin = time.perf_counter()
            for _ in range(repeat):
                call()
            wait()
            if number or rounds == 1:  # the first round warms up
                taken.append((time.perf_counter() - begin) / repeat)
    return [best(taken) for taken in times]


def ratio(bar, what, ours, rival, least, rounds=7, repeat=1, wait=lambda: None):
    mine, theirs = in_turn([ours, rival], rounds, repeat, wait)
    judge(bar, f"{what}: {theirs / mine:.2f} ({least}), {mine * 1e3:.3g} ms",
          theirs / mine >= least)


# ---- Host arrays ------------------------------------------------------------------------


def c_sort(device, pointer, count, kind, direction=0):
    """mw_sort as C would call it, but for ctypes."""
    handle = _handle.take(device)
    return lambda: _native.library.mw_sort(handle.context, kind, direction, pointer, count)


def overhead():
    for name in ("i4", "f4", "f8"):
        x = np.sort(np.random.default_rng(1).integers(0, 999, 100).astype(name))
        y = x.copy()
        ours, plain = in_turn([lambda: multiway.sort(x), c_sort(
            "cpu", y.ctypes.data, y.size, _order.NUMBERS[name])], 50, 1000, best=min)
        beyond = (ours - plain) * 1e6
        judge("overhead", f"sort of 100 {name} beyond the C call: {beyond:.1f} us (8)",
              beyond <= 8)


def random_array(dtype, count):
    rng = np.random.default_rng(1)
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(count).astype(dtype)
    if np.dtype(dtype).kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    return np.frombuffer(rng.bytes(count * np.dtype(dtype).itemsize), dtype)


def numpy_keys(dtype, power):
    x = random_array(dtype, 1 << power)
    is_counted = x.itemsize <= 2 and x.dtype.kind != "f"  # by NumPy, too: short times
    ratio("numpy", f"sort {dtype} 2^{power}, numpy / ours",
          lambda: multiway.sort(x, device=THREADS), lambda: np.sort(x), 1,
          7 if power == 20 else 3)
    ratio("numpy", f"argsort {dtype} 2^{power}, numpy stable / ours",
          lambda: multiway.argsort(x, device=THREADS),
          lambda: np.argsort(x, kind="stable"), 3,
          7 if is_counted else 3 if power == 20 else 1)
    ours = multiway.argsort(x, device=THREADS)
    if not (ours == np.argsort(x, kind="stable")).all():
        judge("numpy", f"argsort {dtype} 2^{power} is NumPy's", False)


def numpy_records(power):
    records = np.empty(1 << power, [("key", "i4"), ("value", "f8"), ("more", "i4")])
    for name in records.dtype.names:
        records[name] = random_array(records.dtype[name], 1 << power)
    ratio("numpy", f"structured, order=, 2^{power}, numpy / ours",
          lambda: multiway.sort(records, order="key", device=THREADS),
          lambda: np.sort(records, order="key"), 20, 1)


def numpy(dtypes=DTYPES):
    for power in (20, 24):
        for dtype in dtypes.split(","):
            if dtype == "records":
                numpy_records(power)
            else:
                numpy_keys(dtype, power)


# ---- Device arrays ----------------------------------------------------------------------


def repeat_of(count):
    return 200 if count <= 1 << 16 else 20 if count <= 1 << 22 else 5


def torch_keys(torch, name, count):
    kind = getattr(torch, name)
    if name == "float32":
        return torch.randn(count, device="cuda")
    limits = torch.iinfo(kind)
    return torch.randint(limits.min, limits.max, (count,), dtype=kind, device="cuda")


def torch_sorts(torch, wait):
    for name in ("int32", "int64", "float32"):
        for power in (12, 16, 18, 20, 22, 24, 27):
            x = torch_keys(torch, name, 1 << power)
            if not torch.equal(multiway.sort(x), torch.sort(x).values):
                judge("torch", f"sort {name} 2^{power} is torch's", False)
            ratio("torch", f"sort {name} 2^{power}, torch / ours",
                  lambda: multiway.sort(x), lambda: torch.sort(x), 1 if power == 12 else 2,
                  9, repeat_of(x.numel()), wait)
    for name, wide, narrow in (("int32", 1.0, 1.05), ("int64", 1.6, 1.8)):
        for power in (24, 27):
            x = torch_keys(torch, name, 1 << power)
            if not torch.equal(multiway.argsort(x), torch.argsort(x, stable=True)):
                judge("torch", f"argsort {name} 2^{power} is torch's", False)
            for dtype, least in ((None, wide), ("int32", narrow)):
                ratio("torch", f"argsort {name} 2^{power}, {dtype or 'int64'} positions, "
                      "torch / ours", lambda: multiway.argsort(x, dtype=dtype),
                      lambda: torch.argsort(x), least, 9, 3, wait)


def torch_selections(torch, wait):
    for power in (20, 24, 27):
        x = torch.randn(1 << power, device="cuda")
        if not torch.equal(multiway.top_k(x, 64)[0], torch.topk(x, 64).values):
            judge("torch", f"top_k 2^{power} is torch's", False)
        ratio("torch", f"top_k 64 of f32 2^{power}, torch / ours",
              lambda: multiway.top_k(x, 64), lambda: torch.topk(x, 64), 4, 9,
              repeat_of(x.numel()), wait)
    for columns in (16, 256, 4096, 65536, 1 << 20):
        x = torch_keys(torch, "int32", 1 << 24).view(-1, columns)
        shape = f"{x.shape[0]} x {columns}"
        if not torch.equal(multiway.sort(x), torch.sort(x, dim=1).values):
            judge("torch", f"rows {shape} are torch's", False)
        ratio("torch", f"rows {shape} int32, torch.sort(dim=1) / ours",
              lambda: multiway.sort(x), lambda: torch.sort(x, dim=1), 1.5, 9, 3, wait)
        f = torch.randn(1 << 24, device="cuda").view(-1, columns)
        k = min(64, columns)
        ratio("torch", f"top_k {k} of rows {shape} f32, torch / ours",
              lambda: multiway.top_k(f, k), lambda: torch.topk(f, k, dim=1), 3, 9, 3, wait)


def torch_memory(torch):
    for name in ("int32", "int64", "float32"):
        x = torch_keys(torch, name, 1 << 26)
        bytes_ = x.numel() * x.element_size()
        multiway.sort(x)
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        result = multiway.sort(x)
        extra = (torch.cuda.max_memory_allocated() - before - bytes_) / bytes_
        del result
        judge("torch", f"memory beyond the result, sort {name} 2^26: {extra:.2f} inputs "
              "(1.3)", extra <= 1.3)


def torch_overhead(torch, wait):
    """Enqueuing alone: few enough calls that none waits for the GPU."""
    x = torch_keys(torch, "int32", 256)
    y = x.clone()
    order = _order.compiled(np.dtype("i4"), None, False)
    job = _handle.job_of(_native.SORT, order, _handle.table(y.data_ptr(), 256))
    handle = _handle.take("cuda:0")
    bytes_ = handle.workspace_bytes(job, (order, 256))
    room = torch.empty(max(bytes_, 1), dtype=torch.uint8, device="cuda")
    enqueue = _native.library.mw_enqueue

    def plain():
        enqueue(handle.context, ctypes.byref(job), room.data_ptr(), bytes_, None)

    def timed(call):
        wait()
        begin = time.perf_counter()
        for _ in range(100):
            call()
        taken = time.perf_counter() - begin
        wait()
        return taken / 100

    times = [(timed(lambda: multiway.sort(x)), timed(plain)) for _ in range(40)]
    beyond = statistics.median(ours - c for ours, c in times[1:]) * 1e6
    judge("overhead", f"sort of a torch tensor beyond the C call: {beyond:.1f} us (15)",
          beyond <= 15)


def torch():
    module = importlib.import_module("torch")
    if not module.cuda.is_available():
        raise ImportError("torch sees no GPU")
    wait = module.cuda.synchronize
    torch_overhead(module, wait)
    torch_sorts(module, wait)
    torch_selections(module, wait)
    torch_memory(module)


def cupy():
    module = importlib.import_module("cupy")
    wait = module.cuda.Device().synchronize
    limits = np.iinfo("i4")
    keys = [module.random.randint(limits.min, limits.max, 1 << 24, dtype="i4")
            for _ in range(2)]
    keys[1] >>= 16  # the primary key, with ties
    expected = module.lexsort(module.stack(keys))
    if not bool((multiway.lexsort(keys) == expected).all()):
        judge("cupy", "lexsort is CuPy's", False)
    ratio("cupy", "lexsort of two int32 keys, 2^24, cupy / ours",
          lambda: multiway.lexsort(keys), lambda: module.lexsort(module.stack(keys)), 8,
          7, 1, wait)


PARTS = {"overhead": overhead, "numpy": numpy, "torch": torch, "cupy": cupy}

for argument in sys.argv[1:] or PARTS:
    part, *share = argument.split(":")
    try:
        PARTS[part](*share)
    except ImportError as why:
        tell(part, str(why).splitlines()[0], "skipped")
