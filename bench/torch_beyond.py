"""Time a key of a large sort beside that of 2^31 keys, on a GPU, every result verified.

    python3 bench/torch_beyond.py TYPE COUNT [COUNT ...]

TYPE is i32, i64 or u8. Prints for each count: type, count, median ms of five sorts, ns a
key, and whether the result is in order and has the fingerprint of the input. Keys are
made, and checked, on the GPU.
"""
import sys

import torch

import multiway

DTYPES = {"i32": torch.int32, "i64": torch.int64, "u8": torch.uint8}
CHUNK = 1 << 26


def fingerprint(keys: torch.Tensor) -> int:
    """A sum of mixed keys: the same in any order."""
    total = 0
    for part in keys.split(CHUNK):
        wide = part.long()
        mixed = (wide ^ (wide >> 7)) * 0x2545F4914F6CDD1D
        total += int((mixed ^ (mixed >> 29)).sum())
    return total % (1 << 64)


def in_order(keys: torch.Tensor) -> bool:
    return all(bool((part[1:] >= part[:-1]).all()) for part in (
        keys[first:first + CHUNK + 1] for first in range(0, len(keys), CHUNK)))


def measure(name: str, count: int) -> None:
    info = torch.iinfo(DTYPES[name])
    keys = torch.empty(count, dtype=DTYPES[name], device="cuda")
    for part in keys.split(CHUNK):
        part.random_(info.min, info.max + 1 if info.bits < 64 else info.max)
    before = fingerprint(keys)
    sorted_keys, times = torch.empty_like(keys), []
    for _ in range(6):
        sorted_keys.copy_(keys)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        multiway.sort(sorted_keys, out=sorted_keys)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    median = sorted(times[1:])[2]
    right = in_order(sorted_keys) and fingerprint(sorted_keys) == before
    print(f"{name}\t{count}\t{median:.3f}\t{median * 1e6 / count:.6f}\t"
          f"{'yes' if right else 'no'}", flush=True)


if __name__ == "__main__":
    for text in sys.argv[2:]:
        measure(sys.argv[1], int(text))
